#include "CLibCrypto.h"

#include <string.h>

#if defined(__linux__)

// Before any other library of the program initializes OpenSSL: its exit handler would free what other threads are still
// using when the process ends.
__attribute__((constructor)) static void carnet_initialize(void) { OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL); }

EVP_PKEY *carnet_rsa_generate(size_t bits) { return EVP_PKEY_Q_keygen(NULL, NULL, "RSA", bits); }

EVP_PKEY *carnet_edwards_generate(const char *type) { return EVP_PKEY_Q_keygen(NULL, NULL, type); }

EVP_PKEY *carnet_ec_generate(const char *curve) { return EVP_PKEY_Q_keygen(NULL, NULL, "EC", curve); }

static EVP_PKEY *key_of(const char *type, int selection, OSSL_PARAM *parameters) {
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
    if (context && (EVP_PKEY_fromdata_init(context) <= 0 || EVP_PKEY_fromdata(context, &key, selection, parameters) <= 0)) {
        EVP_PKEY_free(key);
        key = NULL;
    }
    EVP_PKEY_CTX_free(context);
    return key;
}

static BIGNUM *number(struct carnet_bytes bytes) {
    BIGNUM *number = bytes.count ? BN_bin2bn(bytes.start, (int)bytes.count, NULL) : NULL;
    if (number) BN_set_flags(number, BN_FLG_CONSTTIME);
    return number;
}

// In the order of RFC 8017, appendix A.1.2.
enum { N, E, D, P, Q, DP, DQ, QI, rsa_count };
static const char *const rsa_names[rsa_count] = {
    OSSL_PKEY_PARAM_RSA_N, OSSL_PKEY_PARAM_RSA_E, OSSL_PKEY_PARAM_RSA_D, OSSL_PKEY_PARAM_RSA_FACTOR1,
    OSSL_PKEY_PARAM_RSA_FACTOR2, OSSL_PKEY_PARAM_RSA_EXPONENT1, OSSL_PKEY_PARAM_RSA_EXPONENT2,
    OSSL_PKEY_PARAM_RSA_COEFFICIENT1,
};

// Computes the numbers that follow from the others (RFC 8017, section 3.2). It is 0 also if the others do not fit:
// libcrypto's own check tests the factors for primality, which takes seconds for a large key.
static int rsa_complete(BIGNUM *numbers[rsa_count]) {
    BN_CTX *context = BN_CTX_secure_new();
    BIGNUM *one_less = BN_secure_new(), *product = BN_secure_new();
    int is_good = context && one_less && product && BN_mul(product, numbers[P], numbers[Q], context)
        && BN_cmp(product, numbers[N]) == 0 && BN_cmp(numbers[D], numbers[N]) < 0;
    for (int i = 0; i < 2 && is_good; i++) {
        is_good = (numbers[DP + i] = BN_secure_new()) && BN_sub(one_less, numbers[P + i], BN_value_one())
            && BN_mod(numbers[DP + i], numbers[D], one_less, context)
            && BN_mod_mul(product, numbers[DP + i], numbers[E], one_less, context) && BN_is_one(product);
    }
    is_good = is_good && (numbers[QI] = BN_mod_inverse(NULL, numbers[Q], numbers[P], context));
    BN_clear_free(one_less);
    BN_clear_free(product);
    BN_CTX_free(context);
    return is_good;
}

static void rsa_free(BIGNUM *numbers[rsa_count]) {
    for (int i = 0; i < rsa_count; i++) BN_clear_free(numbers[i]);
}

EVP_PKEY *carnet_rsa_key(
    struct carnet_bytes n, struct carnet_bytes e, struct carnet_bytes d, struct carnet_bytes p, struct carnet_bytes q
) {
    BIGNUM *numbers[rsa_count] = {number(n), number(e), number(d), number(p), number(q)};
    EVP_PKEY *key = NULL;
    OSSL_PARAM parameters[rsa_count + 1];
    unsigned char *buffers[rsa_count] = {NULL};
    size_t lengths[rsa_count] = {0}, count = 0;
    if (!numbers[N] || !numbers[E]) goto end;
    if (numbers[D] && numbers[P] && numbers[Q] && !rsa_complete(numbers)) goto end;
    for (int i = 0; i < rsa_count; i++) {
        if (!numbers[i]) continue;
        lengths[i] = (size_t)BN_num_bytes(numbers[i]);
        if (lengths[i] == 0 || !(buffers[i] = OPENSSL_malloc(lengths[i]))
            || BN_bn2nativepad(numbers[i], buffers[i], (int)lengths[i]) < 0)
            goto end;
        parameters[count++] = OSSL_PARAM_construct_BN(rsa_names[i], buffers[i], lengths[i]);
    }
    parameters[count] = OSSL_PARAM_construct_end();
    key = key_of("RSA", numbers[D] ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, parameters);
end:
    for (int i = 0; i < rsa_count; i++) OPENSSL_clear_free(buffers[i], lengths[i]);
    rsa_free(numbers);
    return key;
}

int carnet_rsa_is_consistent(const EVP_PKEY *key) {
    BIGNUM *read[rsa_count] = {NULL}, *numbers[rsa_count] = {NULL};
    int is_good = 1;
    for (int i = 0; i < rsa_count; i++) is_good = is_good && EVP_PKEY_get_bn_param(key, rsa_names[i], &read[i]) > 0;
    for (int i = 0; i < DP; i++) {
        is_good = is_good && (numbers[i] = BN_dup(read[i]));
        if (numbers[i]) BN_set_flags(numbers[i], BN_FLG_CONSTTIME);
    }
    is_good = is_good && rsa_complete(numbers);
    for (int i = DP; i < rsa_count; i++) is_good = is_good && BN_cmp(read[i], numbers[i]) == 0;
    rsa_free(read);
    rsa_free(numbers);
    return is_good;
}

EVP_PKEY *carnet_ec_public_key(const char *curve, struct carnet_bytes point) {
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)curve, 0),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point.start, point.count),
        OSSL_PARAM_construct_end(),
    };
    return key_of("EC", EVP_PKEY_PUBLIC_KEY, parameters);
}

EVP_PKEY *carnet_ec_private_key(const char *curve, struct carnet_bytes bytes) {
    EVP_PKEY *key = NULL;
    EC_GROUP *group = EC_GROUP_new_by_curve_name(OBJ_txt2nid(curve));
    EC_POINT *point = group ? EC_POINT_new(group) : NULL;
    BN_CTX *context = BN_CTX_secure_new();
    BIGNUM *private_number = number(bytes);
    unsigned char native[66], encoded[133];
    size_t length = 0;
    if (point && context && private_number && bytes.count <= sizeof native && !BN_is_zero(private_number)
        && BN_cmp(private_number, EC_GROUP_get0_order(group)) < 0
        // For the generator alone, this takes the same time for every number.
        && EC_POINT_mul(group, point, private_number, NULL, NULL, context)
        && (length = EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, encoded, sizeof encoded, context))
        && BN_bn2nativepad(private_number, native, (int)bytes.count) >= 0) {
        OSSL_PARAM parameters[] = {
            OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)curve, 0),
            OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, encoded, length),
            OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_PRIV_KEY, native, bytes.count),
            OSSL_PARAM_construct_end(),
        };
        key = key_of("EC", EVP_PKEY_KEYPAIR, parameters);
    }
    OPENSSL_cleanse(native, sizeof native);
    BN_clear_free(private_number);
    BN_CTX_free(context);
    EC_POINT_free(point);
    EC_GROUP_free(group);
    return key;
}

static BIGNUM *number_of(const EVP_PKEY *key, int which) {
    static const char *const names[] = {OSSL_PKEY_PARAM_RSA_N, OSSL_PKEY_PARAM_RSA_E, OSSL_PKEY_PARAM_PRIV_KEY};
    BIGNUM *number = NULL;
    return EVP_PKEY_get_bn_param(key, names[which], &number) > 0 ? number : NULL;
}

int carnet_number(const EVP_PKEY *key, int which, uint8_t *output, size_t count) {
    BIGNUM *number = number_of(key, which);
    int is_written = number && BN_bn2binpad(number, output, (int)count) >= 0;
    BN_clear_free(number);
    return is_written;
}

size_t carnet_number_length(const EVP_PKEY *key, int which) {
    BIGNUM *number = number_of(key, which);
    size_t count = number ? (size_t)BN_num_bytes(number) : 0;
    BN_clear_free(number);
    return count;
}

int carnet_ec_names_curve(const EVP_PKEY *key, const char *curve) {
    char name[32];
    size_t length = 0;
    int is_explicit = 0;
    EVP_PKEY_get_int_param(key, OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS, &is_explicit);
    return EVP_PKEY_get_group_name(key, name, sizeof name, &length) > 0 && strcmp(name, curve) == 0
        && !is_explicit;
}

int carnet_hmac(const EVP_MD *hash, struct carnet_bytes key, struct carnet_bytes data, uint8_t *output, size_t count) {
    static EVP_MAC *algorithm;
    EVP_MAC *mac = __atomic_load_n(&algorithm, __ATOMIC_ACQUIRE);
    if (!mac) {
        mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
        EVP_MAC *other = NULL;
        // Another thread may have fetched it meanwhile.
        if (mac && !__atomic_compare_exchange_n(&algorithm, &other, mac, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            EVP_MAC_free(mac);
            mac = other;
        }
    }
    EVP_MAC_CTX *context = mac ? EVP_MAC_CTX_new(mac) : NULL;
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)EVP_MD_get0_name(hash), 0),
        OSSL_PARAM_construct_end(),
    };
    size_t length = 0;
    // Without a pointer, an empty key would mean the one of an earlier call.
    const uint8_t *start = key.start ? key.start : (const uint8_t *)"";
    int is_good = context && EVP_MAC_init(context, start, key.count, parameters)
        && (data.count == 0 || EVP_MAC_update(context, data.start, data.count))
        && EVP_MAC_final(context, output, &length, count) && length == count;
    EVP_MAC_CTX_free(context);
    return is_good;
}

int carnet_hkdf(const EVP_MD *hash, struct carnet_bytes secret, struct carnet_bytes info, uint8_t *output, size_t count) {
    EVP_KDF *algorithm = EVP_KDF_fetch(NULL, "HKDF", NULL);
    EVP_KDF_CTX *context = algorithm ? EVP_KDF_CTX_new(algorithm) : NULL;
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)EVP_MD_get0_name(hash), 0),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)secret.start, secret.count),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)info.start, info.count),
        OSSL_PARAM_construct_end(),
    };
    int is_good = context && EVP_KDF_derive(context, output, count, parameters) > 0;
    EVP_KDF_CTX_free(context);
    EVP_KDF_free(algorithm);
    return is_good;
}

int carnet_set_tag(EVP_CIPHER_CTX *context, uint8_t *tag, int count) {
    return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, count, tag);
}

int carnet_get_tag(EVP_CIPHER_CTX *context, uint8_t *tag, int count) {
    return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, count, tag);
}

#endif
