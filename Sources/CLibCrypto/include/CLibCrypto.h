// The system's libcrypto (OpenSSL 3.0 or later) on Linux, and what Swift cannot call of it: functions with variable
// arguments, and lists of parameters.
#ifndef CLIBCRYPTO_H
#define CLIBCRYPTO_H

#if defined(__linux__)
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <stddef.h>
#include <stdint.h>

/// Bytes of a big-endian number or of a point; empty for a number that the key does not have.
struct carnet_bytes {
    const uint8_t *_Nullable start;
    size_t count;
};

/// A new RSA key of so many bits, or null.
EVP_PKEY *_Nullable carnet_rsa_generate(size_t bits);
/// A new key of a curve that OpenSSL names as a type: ED25519 or X25519.
EVP_PKEY *_Nullable carnet_edwards_generate(const char *_Nonnull type);
/// A new key on a curve of NIST.
EVP_PKEY *_Nullable carnet_ec_generate(const char *_Nonnull curve);

/// A public key of RSA; with `d` a private key. With factors, they must fit the other numbers.
EVP_PKEY *_Nullable carnet_rsa_key(
    struct carnet_bytes n, struct carnet_bytes e, struct carnet_bytes d, struct carnet_bytes p, struct carnet_bytes q);
/// The public key of an uncompressed point, or null for one that is not on the curve.
EVP_PKEY *_Nullable carnet_ec_public_key(const char *_Nonnull curve, struct carnet_bytes point);
/// The private key of a number, or null for one that is zero or not less than the order.
EVP_PKEY *_Nullable carnet_ec_private_key(const char *_Nonnull curve, struct carnet_bytes number);
/// A number of a key, big-endian in exactly `count` bytes: the modulus, the exponent, or a private number of a curve.
int carnet_number(const EVP_PKEY *_Nonnull key, int which, uint8_t *_Nullable output, size_t count);
/// The length of the number in bytes, or 0.
size_t carnet_number_length(const EVP_PKEY *_Nonnull key, int which);
enum { carnet_modulus, carnet_exponent, carnet_private_number };
/// Whether the numbers of a private RSA key fit each other.
int carnet_rsa_is_consistent(const EVP_PKEY *_Nonnull key);
/// Whether a key on a curve names it with its object identifier, instead of describing it.
int carnet_ec_names_curve(const EVP_PKEY *_Nonnull key, const char *_Nonnull curve);

/// HMAC; the output has the length of the hash.
int carnet_hmac(
    const EVP_MD *_Nonnull hash, struct carnet_bytes key, struct carnet_bytes data, uint8_t *_Nullable output, size_t count);
/// HKDF without a salt (RFC 5869).
int carnet_hkdf(
    const EVP_MD *_Nonnull hash, struct carnet_bytes secret, struct carnet_bytes info, uint8_t *_Nullable output, size_t count);
/// Sets and reads the tag of a cipher context; both are macros.
int carnet_set_tag(EVP_CIPHER_CTX *_Nonnull context, uint8_t *_Nonnull tag, int count);
int carnet_get_tag(EVP_CIPHER_CTX *_Nonnull context, uint8_t *_Nonnull tag, int count);
#endif

#endif
