#!/bin/bash

__carnet_cursor_index_in_current_word() {
    local remaining="${COMP_LINE}"

    local word
    for word in "${COMP_WORDS[@]::COMP_CWORD}"; do
        remaining="${remaining##*([[:space:]])"${word}"*([[:space:]])}"
    done

    local -ir index="$((COMP_POINT - ${#COMP_LINE} + ${#remaining}))"
    if [[ "${index}" -le 0 ]]; then
        printf 0
    else
        printf %s "${index}"
    fi
}

# positional arguments:
#
# - 1: the current (sub)command's count of positional arguments
#
# required variables:
#
# - repeating_flags: the repeating flags that the current (sub)command can accept
# - non_repeating_flags: the non-repeating flags that the current (sub)command can accept
# - repeating_options: the repeating options that the current (sub)command can accept
# - non_repeating_options: the non-repeating options that the current (sub)command can accept
# - positional_number: value ignored
# - unparsed_words: unparsed words from the current command line
#
# modified variables:
#
# - non_repeating_flags: remove flags for this (sub)command that are already on the command line
# - non_repeating_options: remove options for this (sub)command that are already on the command line
# - positional_number: set to the current positional number
# - unparsed_words: remove all flags, options, and option values for this (sub)command
__carnet_offer_flags_options() {
    local -ir positional_count="${1}"
    positional_number=0

    local was_flag_option_terminator_seen=false
    local is_parsing_option_value=false

    local -ar unparsed_word_indices=("${!unparsed_words[@]}")
    local -i word_index
    for word_index in "${unparsed_word_indices[@]}"; do
        if "${is_parsing_option_value}"; then
            # This word is an option value:
            # Reset marker for next word iff not currently the last word
            [[ "${word_index}" -ne "${unparsed_word_indices[${#unparsed_word_indices[@]} - 1]}" ]] && is_parsing_option_value=false
            unset "unparsed_words[${word_index}]"
            # Do not process this word as a flag or an option
            continue
        fi

        local word="${unparsed_words["${word_index}"]}"
        if ! "${was_flag_option_terminator_seen}"; then
            case "${word}" in
            --)
                unset "unparsed_words[${word_index}]"
                # by itself -- is a flag/option terminator, but if it is the last word, it is the start of a completion
                if [[ "${word_index}" -ne "${unparsed_word_indices[${#unparsed_word_indices[@]} - 1]}" ]]; then
                    was_flag_option_terminator_seen=true
                fi
                continue
                ;;
            -*)
                # ${word} is a flag or an option
                # If ${word} is an option, mark that the next word to be parsed is an option value
                local option
                for option in "${repeating_options[@]}" "${non_repeating_options[@]}"; do
                    [[ "${word}" = "${option}" ]] && is_parsing_option_value=true && break
                done

                # Remove ${word} from ${non_repeating_flags} or ${non_repeating_options} so it isn't offered again
                local not_found=true
                local -i index
                for index in "${!non_repeating_flags[@]}"; do
                    if [[ "${non_repeating_flags[${index}]}" = "${word}" ]]; then
                        unset "non_repeating_flags[${index}]"
                        non_repeating_flags=("${non_repeating_flags[@]}")
                        not_found=false
                        break
                    fi
                done
                if "${not_found}"; then
                    for index in "${!non_repeating_flags[@]}"; do
                        if [[ "${non_repeating_flags[${index}]}" = "${word}" ]]; then
                            unset "non_repeating_flags[${index}]"
                            non_repeating_flags=("${non_repeating_flags[@]}")
                            break
                        fi
                    done
                fi
                unset "unparsed_words[${word_index}]"
                continue
                ;;
            esac
        fi

        # ${word} is neither a flag, nor an option, nor an option value
        if [[ "${positional_number}" -lt "${positional_count}" || "${positional_count}" -lt 0 ]]; then
            # ${word} is a positional
            ((positional_number++))
            unset "unparsed_words[${word_index}]"
        else
            if [[ -z "${word}" ]]; then
                # Could be completing a flag, option, or subcommand
                positional_number=-1
            else
                # ${word} is a subcommand or invalid, so stop processing this (sub)command
                positional_number=-2
            fi
            break
        fi
    done

    unparsed_words=("${unparsed_words[@]}")

    if\
        ! "${was_flag_option_terminator_seen}"\
        && ! "${is_parsing_option_value}"\
        && [[ ("${cur}" = -* && "${positional_number}" -ge 0) || "${positional_number}" -eq -1 ]]
    then
        COMPREPLY+=($(compgen -W "${repeating_flags[*]} ${non_repeating_flags[*]} ${repeating_options[*]} ${non_repeating_options[*]}" -- "${cur}"))
    fi
}

__carnet_add_completions() {
    local completion
    while IFS='' read -r completion; do
        COMPREPLY+=("${completion}")
    done < <(IFS=$'\n' compgen "${@}" -- "${cur}")
}

__carnet_custom_complete() {
    if [[ -n "${cur}" || -z ${COMP_WORDS[${COMP_CWORD}]} || "${COMP_LINE:${COMP_POINT}:1}" != ' ' ]]; then
        local -ar words=("${COMP_WORDS[@]}")
    else
        local -ar words=("${COMP_WORDS[@]::${COMP_CWORD}}" '' "${COMP_WORDS[@]:${COMP_CWORD}}")
    fi

    "${COMP_WORDS[0]}" "${@}" "${words[@]}"
}

_carnet() {
    local state
    state="$(shopt -p;shopt -po)"
    trap "${state//$'\n'/;}" RETURN
    shopt -s extglob
    set +o history +o posix

    local -xr SAP_SHELL=bash
    local -x SAP_SHELL_VERSION
    SAP_SHELL_VERSION="$(IFS='.';printf %s "${BASH_VERSINFO[*]}")"
    local -r SAP_SHELL_VERSION

    local -r cur="${2}"
    local -r prev="${3}"

    local -i positional_number
    local -a unparsed_words=("${COMP_WORDS[@]:1:${COMP_CWORD}}")
    [[ "${unparsed_words[0]}" = 'resources' && -n "${unparsed_words[1]}" && ' list check -h --help' != *" ${unparsed_words[1]}"* ]] &&
        unparsed_words=('resources' 'list' "${unparsed_words[@]:1}")
    [[ "${unparsed_words[0]}" = 'client-document' && -n "${unparsed_words[1]}" && ' write check -h --help' != *" ${unparsed_words[1]}"* ]] &&
        unparsed_words=('client-document' 'write' "${unparsed_words[@]:1}")
    [[ "${unparsed_words[0]}" = 'gateway' && -n "${unparsed_words[1]}" && ' serve check proxy sessions -h --help' != *" ${unparsed_words[1]}"* ]] &&
        unparsed_words=('gateway' 'serve' "${unparsed_words[@]:1}")

    local -a repeating_flags=()
    local -a non_repeating_flags=(--version -h --help)
    local -a repeating_options=()
    local -a non_repeating_options=()
    __carnet_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    lint|explain|schema|new|import|providers|show|try|sandbox|demo|compare|gateway|register|client-document|login|accounts|token|profile|resources|call|mcp|refresh|logout|doctor|help)
        # Offer subcommand argument completions
        "_carnet_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'lint explain schema new import providers show try sandbox demo compare gateway register client-document login accounts token profile resources call mcp refresh logout doctor help' -- "${cur}"))
        ;;
    esac
}

_carnet_lint() {
    repeating_flags=()
    non_repeating_flags=(--fix --simulate --no-simulate --json -v --verbose -q --quiet --version -h --help)
    repeating_options=(--providers)
    non_repeating_options=(--format --fail-on --against --stdin-filename --documentation --color)
    __carnet_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--format')
        __carnet_add_completions -W 'text'$'\n''json'$'\n''sarif'$'\n''github'
        return
        ;;
    '--fail-on')
        __carnet_add_completions -W 'error'$'\n''warning'$'\n''never'
        return
        ;;
    '--against')
        __carnet_add_completions -f
        return
        ;;
    '--stdin-filename')
        __carnet_add_completions -f
        return
        ;;
    '--documentation')
        return
        ;;
    '--providers')
        __carnet_add_completions -d
        return
        ;;
    '--color')
        __carnet_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __carnet_add_completions -f
        return
        ;;
    esac
}

_carnet_explain() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=()
    non_repeating_options=(--color)
    __carnet_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--color')
        __carnet_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __carnet_add_completions -W "$(__carnet_custom_complete ---completion explain -- positional@0 "${COMP_CWORD}" "$(__carnet_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_carnet_schema() {
    repeating_flags=()
    non_repeating_flags=(--resources --clients --gateway --json --version -h --help)
    repeating_options=()
    non_repeating_options=(--color)
    __carnet_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--color')
        __carnet_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac
}

_carnet_new() {
    repeating_flags=()
    non_repeating_flags=(--json -v --verbose -q --quiet --version -h --help)
    repeating_options=(--allow-local)
    non_repeating_options=(--issuer --output --timeout --ca-file --color)
    __carnet_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--issuer')
        return
        ;;
    '--output')
        __carnet_add_completions -d
        return
        ;;
    '--timeout')
        return
        ;;
    '--ca-file')
        __carnet_add_completions -f
        return
        ;;
    '--allow-local')
        return
        ;;
    '--color')
        __carnet_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac
}

_carnet_import() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __carnet_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    openapi)
        # Offer subcommand argument completions
        "_carnet_import_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'openapi' -- "${cur}"))
        ;;
    esac
}

_carnet_import_openapi() {
    repeating_flags=()
    non_repeating_flags=(--descriptor --json --version -h --help)
    repeating_options=(--scheme --checked-elsewhere)
    non_repeating_options=(--id --output --fail-on --color)
    __carnet_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--scheme')
        return
        ;;
    '--checked-elsewhere')
        return
        ;;
    '--id')
        return
        ;;
    '--output')
        __carnet_add_completions -d
        return
        ;;
    '--fail-on')
        __carnet_add_completions -W 'error'$'\n''warning'$'\n''never'
        return
        ;;
    '--color')
        __carnet_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __carnet_add_completions -f
        return
        ;;
    esac
}

_carnet_providers() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=(--providers)
    non_repeating_options=(--search --color)
    __carnet_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--search')
        return
        ;;
    '--providers')
        __carnet_add_completions -d
        return
        ;;
    '--color')
        __carnet_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac
}

_carnet_show() {
    repeating_flags=()
    non_repeating_flags=(--resolved --json -v --verbose -q --quiet --version -h --help)
    repeating_options=(--providers --input --input-env)
    non_repeating_options=(--clients --client-id --client-secret-env --environment --redirect-uri --color)
    __carnet_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--providers')
        __carnet_add_completions -d
        return
        ;;
    '--clients')
        __carnet_add_completions -o plusdirs -fX '!*.@(yaml|yml)'
        return
        ;;
    '--client-id')
        return
        ;;
    '--client-secret-env')
        return
        ;;
    '--input')
        return
        ;;
    '--input-env')
        return
        ;;
    '--environment')
        return
        ;;
    '--redirect-uri')
        return
        ;;
    '--color')
        __carnet_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __carnet_add_completions -W "$(__carnet_custom_complete ---completion show -- positional@0 "${COMP_CWORD}" "$(__carnet_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_carnet_try() {
    repeating_flags=()
    non_repeating_flags=(--show-secrets --json -v --verbose -q --quiet --version -h --help)
    repeating_options=(--providers --input --input-env)
    non_repeating_options=(--environment --redirect-uri --diagram --color)
    __carnet_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--providers')
        __carnet_add_completions -d
        return
        ;;
    '--input')
        return
        ;;
    '--input-env')
        return
        ;;
    '--environment')
        return
        ;;
    '--redirect-uri')
        return
        ;;
    '--diagram')
        __carnet_add_completions -W 'text'$'\n''svg'
        return
        ;;
    '--color')
        __carnet_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __carnet_add_completions -W "$(__carnet_custom_complete ---completion try -- positional@0 "${COMP_CWORD}" "$(__carnet_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_carnet_sandbox() {
    repeating_flags=()
    non_repeating_flags=(--list-faults --ask --json -v --verbose -q --quiet --version -h --help)
    repeating_options=(--resource --fault --providers --input --input-env)
    non_repeating_options=(--port --back-channel-logout-uri --map --clients --client-id --client-secret-env --environment --redirect-uri --color)
    __carnet_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--resource')
        return
        ;;
    '--port')
        return
        ;;
    '--fault')
        __carnet_add_completions -W 'wrong-state'$'\n''missing-iss'$'\n''wrong-iss'$'\n''denied'$'\n''wrong-nonce'$'\n''bad-signature'$'\n''rotated-key'$'\n''wrong-audience'$'\n''expired-id-token'$'\n''missing-id-token'$'\n''missing-at-hash'$'\n''token-html'$'\n''token-500'$'\n''token-down'$'\n''userinfo-wrong-subject'$'\n''expired-access-token'$'\n''refresh-revoked'$'\n''slow-down'$'\n''dpop-nonce'$'\n''weak-sign-in'$'\n''step-up'$'\n''unsigned-id-token'$'\n''wrong-id-token-issuer'$'\n''metadata-500'$'\n''keys-500'$'\n''userinfo-500'$'\n''revocation-500'$'\n''slow'$'\n''busy'
        return
        ;;
    '--back-channel-logout-uri')
        return
        ;;
    '--map')
        __carnet_add_completions -f
        return
        ;;
    '--providers')
        __carnet_add_completions -d
        return
        ;;
    '--clients')
        __carnet_add_completions -o plusdirs -fX '!*.@(yaml|yml)'
        return
        ;;
    '--client-id')
        return
        ;;
    '--client-secret-env')
        return
        ;;
    '--input')
        return
        ;;
    '--input-env')
        return
        ;;
    '--environment')
        return
        ;;
    '--redirect-uri')
        return
        ;;
    '--color')
        __carnet_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __carnet_add_completions -W "$(__carnet_custom_complete ---completion sandbox -- positional@0 "${COMP_CWORD}" "$(__carnet_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_carnet_demo() {
    repeating_flags=()
    non_repeating_flags=(--json -v --verbose -q --quiet --version -h --help)
    repeating_options=(--providers)
    non_repeating_options=(--port --clients --map --store --sandbox --color)
    __carnet_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--port')
        return
        ;;
    '--providers')
        __carnet_add_completions -d
        return
        ;;
    '--clients')
        __carnet_add_completions -o plusdirs -fX '!*.@(yaml|yml)'
        return
        ;;
    '--map')
        __carnet_add_completions -f
        return
        ;;
    '--store')
        __carnet_add_completions -d
        return
        ;;
    '--sandbox')
        return
        ;;
    '--color')
        __carnet_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac
}

_carnet_compare() {
    repeating_flags=()
    non_repeating_flags=(--all --probe --json -v --verbose -q --quiet --version -h --help)
    repeating_options=(--providers --input --input-env --allow-local)
    non_repeating_options=(--probe-pause --probe-results --probe-since --clients --client-id --client-secret-env --environment --redirect-uri --timeout --ca-file --color)
    __carnet_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--probe-pause')
        return
        ;;
    '--probe-results')
        return
        ;;
    '--probe-since')
        return
        ;;
    '--providers')
        __carnet_add_completions -d
        return
        ;;
    '--clients')
        __carnet_add_completions -o plusdirs -fX '!*.@(yaml|yml)'
        return
        ;;
    '--client-id')
        return
        ;;
    '--client-secret-env')
        return
        ;;
    '--input')
        return
        ;;
    '--input-env')
        return
        ;;
    '--environment')
        return
        ;;
    '--redirect-uri')
        return
        ;;
    '--timeout')
        return
        ;;
    '--ca-file')
        __carnet_add_completions -f
        return
        ;;
    '--allow-local')
        return
        ;;
    '--color')
        __carnet_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __carnet_add_completions -W "$(__carnet_custom_complete ---completion compare -- positional@0 "${COMP_CWORD}" "$(__carnet_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_carnet_gateway() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __carnet_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    serve|check|proxy|sessions)
        # Offer subcommand argument completions
        "_carnet_gateway_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'serve check proxy sessions' -- "${cur}"))
        ;;
    esac
}

_carnet_gateway_serve() {
    repeating_flags=()
    non_repeating_flags=(--sandbox --ask --json -v --verbose -q --quiet --version -h --help)
    repeating_options=(--providers)
    non_repeating_options=(--port --bind --socket --connections --metrics-port --metrics-bind --clients --color)
    __carnet_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--port')
        return
        ;;
    '--bind')
        return
        ;;
    '--socket')
        __carnet_add_completions -f
        return
        ;;
    '--connections')
        return
        ;;
    '--metrics-port')
        return
        ;;
    '--metrics-bind')
        return
        ;;
    '--providers')
        __carnet_add_completions -d
        return
        ;;
    '--clients')
        __carnet_add_completions -o plusdirs -fX '!*.@(yaml|yml)'
        return
        ;;
    '--color')
        __carnet_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __carnet_add_completions -o plusdirs -fX '!*.@(yaml|yml)'
        return
        ;;
    esac
}

_carnet_gateway_check() {
    repeating_flags=()
    non_repeating_flags=(--online --json -v --verbose -q --quiet --version -h --help)
    repeating_options=(--as --providers)
    non_repeating_options=(--requests --clients --color)
    __carnet_offer_flags_options 3

    # Offer option value completions
    case "${prev}" in
    '--as')
        __carnet_add_completions -f
        return
        ;;
    '--requests')
        __carnet_add_completions -o plusdirs -fX '!*.@(yaml|yml)'
        return
        ;;
    '--providers')
        __carnet_add_completions -d
        return
        ;;
    '--clients')
        __carnet_add_completions -o plusdirs -fX '!*.@(yaml|yml)'
        return
        ;;
    '--color')
        __carnet_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __carnet_add_completions -o plusdirs -fX '!*.@(yaml|yml)'
        return
        ;;
    esac
}

_carnet_gateway_proxy() {
    repeating_flags=()
    non_repeating_flags=(--force --no-tls --json --version -h --help)
    repeating_options=(--program)
    non_repeating_options=(--output --listen --timeout --certificate --certificate-key --port --bind --socket --connections --color)
    __carnet_offer_flags_options 2

    # Offer option value completions
    case "${prev}" in
    '--output')
        __carnet_add_completions -d
        return
        ;;
    '--program')
        return
        ;;
    '--listen')
        return
        ;;
    '--timeout')
        return
        ;;
    '--certificate')
        __carnet_add_completions -f
        return
        ;;
    '--certificate-key')
        __carnet_add_completions -f
        return
        ;;
    '--port')
        return
        ;;
    '--bind')
        return
        ;;
    '--socket')
        __carnet_add_completions -f
        return
        ;;
    '--connections')
        return
        ;;
    '--color')
        __carnet_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __carnet_add_completions -W 'nginx'$'\n''caddy'$'\n''traefik'$'\n''traefik-kubernetes'$'\n''haproxy'$'\n''apache'
        return
        ;;
    2)
        __carnet_add_completions -o plusdirs -fX '!*.@(yaml|yml)'
        return
        ;;
    esac
}

_carnet_gateway_sessions() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __carnet_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    list|end)
        # Offer subcommand argument completions
        "_carnet_gateway_sessions_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'list end' -- "${cur}"))
        ;;
    esac
}

_carnet_gateway_sessions_list() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=()
    non_repeating_options=(--color)
    __carnet_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--color')
        __carnet_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __carnet_add_completions -o plusdirs -fX '!*.@(yaml|yml)'
        return
        ;;
    esac
}

_carnet_gateway_sessions_end() {
    repeating_flags=()
    non_repeating_flags=(--all --json --version -h --help)
    repeating_options=()
    non_repeating_options=(--provider --subject --email --color)
    __carnet_offer_flags_options 2

    # Offer option value completions
    case "${prev}" in
    '--provider')
        return
        ;;
    '--subject')
        return
        ;;
    '--email')
        return
        ;;
    '--color')
        __carnet_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __carnet_add_completions -o plusdirs -fX '!*.@(yaml|yml)'
        return
        ;;
    esac
}

_carnet_register() {
    repeating_flags=()
    non_repeating_flags=(--confidential --read --delete --json -v --verbose -q --quiet --version -h --help)
    repeating_options=(--contact --providers --input --input-env --allow-local)
    non_repeating_options=(--name --token-env --output --key-file --client-uri --logo-uri --policy-uri --tos-uri --software-id --software-version --jwks-uri --post-logout-redirect-uri --backchannel-logout-uri --frontchannel-logout-uri --initiate-login-uri --id-token-alg --userinfo-alg --request-object-alg --clients --client-id --client-secret-env --environment --redirect-uri --timeout --sandbox --ca-file --color)
    __carnet_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--name')
        return
        ;;
    '--token-env')
        return
        ;;
    '--output')
        __carnet_add_completions -o plusdirs -fX '!*.@(yaml|yml)'
        return
        ;;
    '--key-file')
        __carnet_add_completions -f
        return
        ;;
    '--contact')
        return
        ;;
    '--client-uri')
        return
        ;;
    '--logo-uri')
        return
        ;;
    '--policy-uri')
        return
        ;;
    '--tos-uri')
        return
        ;;
    '--software-id')
        return
        ;;
    '--software-version')
        return
        ;;
    '--jwks-uri')
        return
        ;;
    '--post-logout-redirect-uri')
        return
        ;;
    '--backchannel-logout-uri')
        return
        ;;
    '--frontchannel-logout-uri')
        return
        ;;
    '--initiate-login-uri')
        return
        ;;
    '--id-token-alg')
        return
        ;;
    '--userinfo-alg')
        return
        ;;
    '--request-object-alg')
        return
        ;;
    '--providers')
        __carnet_add_completions -d
        return
        ;;
    '--clients')
        __carnet_add_completions -o plusdirs -fX '!*.@(yaml|yml)'
        return
        ;;
    '--client-id')
        return
        ;;
    '--client-secret-env')
        return
        ;;
    '--input')
        return
        ;;
    '--input-env')
        return
        ;;
    '--environment')
        return
        ;;
    '--redirect-uri')
        return
        ;;
    '--timeout')
        return
        ;;
    '--sandbox')
        return
        ;;
    '--ca-file')
        __carnet_add_completions -f
        return
        ;;
    '--allow-local')
        return
        ;;
    '--color')
        __carnet_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __carnet_add_completions -W "$(__carnet_custom_complete ---completion register -- positional@0 "${COMP_CWORD}" "$(__carnet_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_carnet_client-document() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __carnet_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    write|check)
        # Offer subcommand argument completions
        "_carnet_client-document_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'write check' -- "${cur}"))
        ;;
    esac
}

_carnet_client-document_write() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=(--redirect-uri --scope)
    non_repeating_options=(--name --client-uri --logo-uri --policy-uri --tos-uri --software-id --software-version --color)
    __carnet_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--name')
        return
        ;;
    '--redirect-uri')
        return
        ;;
    '--scope')
        return
        ;;
    '--client-uri')
        return
        ;;
    '--logo-uri')
        return
        ;;
    '--policy-uri')
        return
        ;;
    '--tos-uri')
        return
        ;;
    '--software-id')
        return
        ;;
    '--software-version')
        return
        ;;
    '--color')
        __carnet_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac
}

_carnet_client-document_check() {
    repeating_flags=()
    non_repeating_flags=(--json -v --verbose -q --quiet --version -h --help)
    repeating_options=(--allow-local)
    non_repeating_options=(--ca-file --color)
    __carnet_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--ca-file')
        __carnet_add_completions -f
        return
        ;;
    '--allow-local')
        return
        ;;
    '--color')
        __carnet_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac
}

_carnet_login() {
    repeating_flags=()
    non_repeating_flags=(--no-browser --paste --device --register-again --pushed --no-pushed --signed --no-signed --json -v --verbose -q --quiet --version -h --help)
    repeating_options=(--providers --input --input-env --allow-local --scope --authorization-host --resource --acr --prompt --ui-locale --parameter --choose)
    non_repeating_options=(--account --clients --client-id --client-secret-env --environment --redirect-uri --timeout --sandbox --ca-file --client-id-document --authorization-details --claims --max-age --login-hint --response-mode --color)
    __carnet_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--account')
        __carnet_add_completions -W "$(__carnet_custom_complete ---completion login -- --account "${COMP_CWORD}" "$(__carnet_cursor_index_in_current_word)")"
        return
        ;;
    '--providers')
        __carnet_add_completions -d
        return
        ;;
    '--clients')
        __carnet_add_completions -o plusdirs -fX '!*.@(yaml|yml)'
        return
        ;;
    '--client-id')
        return
        ;;
    '--client-secret-env')
        return
        ;;
    '--input')
        return
        ;;
    '--input-env')
        return
        ;;
    '--environment')
        return
        ;;
    '--redirect-uri')
        return
        ;;
    '--timeout')
        return
        ;;
    '--sandbox')
        return
        ;;
    '--ca-file')
        __carnet_add_completions -f
        return
        ;;
    '--allow-local')
        return
        ;;
    '--scope')
        return
        ;;
    '--client-id-document')
        return
        ;;
    '--authorization-host')
        return
        ;;
    '--resource')
        return
        ;;
    '--authorization-details')
        return
        ;;
    '--claims')
        return
        ;;
    '--max-age')
        return
        ;;
    '--acr')
        return
        ;;
    '--login-hint')
        return
        ;;
    '--prompt')
        __carnet_add_completions -W 'none'$'\n''login'$'\n''consent'$'\n''select_account'$'\n''create'
        return
        ;;
    '--ui-locale')
        return
        ;;
    '--parameter')
        return
        ;;
    '--response-mode')
        __carnet_add_completions -W 'query'$'\n''form_post'$'\n''jwt'$'\n''query.jwt'$'\n''form_post.jwt'$'\n''fragment.jwt'
        return
        ;;
    '--choose')
        return
        ;;
    '--color')
        __carnet_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __carnet_add_completions -W "$(__carnet_custom_complete ---completion login -- positional@0 "${COMP_CWORD}" "$(__carnet_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_carnet_accounts() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=()
    non_repeating_options=(--color)
    __carnet_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--color')
        __carnet_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac
}

_carnet_token() {
    repeating_flags=()
    non_repeating_flags=(--header --payload --raw --client-credentials --jwt-bearer --introspect --exchange --json -v --verbose -q --quiet --version -h --help)
    repeating_options=(--providers --input --input-env --allow-local --scope --resource --audience)
    non_repeating_options=(--account --clients --client-id --client-secret-env --environment --redirect-uri --timeout --sandbox --ca-file --subject --assertion-env --color)
    __carnet_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--account')
        __carnet_add_completions -W "$(__carnet_custom_complete ---completion token -- --account "${COMP_CWORD}" "$(__carnet_cursor_index_in_current_word)")"
        return
        ;;
    '--providers')
        __carnet_add_completions -d
        return
        ;;
    '--clients')
        __carnet_add_completions -o plusdirs -fX '!*.@(yaml|yml)'
        return
        ;;
    '--client-id')
        return
        ;;
    '--client-secret-env')
        return
        ;;
    '--input')
        return
        ;;
    '--input-env')
        return
        ;;
    '--environment')
        return
        ;;
    '--redirect-uri')
        return
        ;;
    '--timeout')
        return
        ;;
    '--sandbox')
        return
        ;;
    '--ca-file')
        __carnet_add_completions -f
        return
        ;;
    '--allow-local')
        return
        ;;
    '--subject')
        return
        ;;
    '--assertion-env')
        return
        ;;
    '--scope')
        return
        ;;
    '--resource')
        return
        ;;
    '--audience')
        return
        ;;
    '--color')
        __carnet_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __carnet_add_completions -W "$(__carnet_custom_complete ---completion token -- positional@0 "${COMP_CWORD}" "$(__carnet_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_carnet_profile() {
    repeating_flags=()
    non_repeating_flags=(--json -v --verbose -q --quiet --version -h --help)
    repeating_options=(--providers --input --input-env --allow-local)
    non_repeating_options=(--account --clients --client-id --client-secret-env --environment --redirect-uri --timeout --sandbox --ca-file --color)
    __carnet_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--account')
        __carnet_add_completions -W "$(__carnet_custom_complete ---completion profile -- --account "${COMP_CWORD}" "$(__carnet_cursor_index_in_current_word)")"
        return
        ;;
    '--providers')
        __carnet_add_completions -d
        return
        ;;
    '--clients')
        __carnet_add_completions -o plusdirs -fX '!*.@(yaml|yml)'
        return
        ;;
    '--client-id')
        return
        ;;
    '--client-secret-env')
        return
        ;;
    '--input')
        return
        ;;
    '--input-env')
        return
        ;;
    '--environment')
        return
        ;;
    '--redirect-uri')
        return
        ;;
    '--timeout')
        return
        ;;
    '--sandbox')
        return
        ;;
    '--ca-file')
        __carnet_add_completions -f
        return
        ;;
    '--allow-local')
        return
        ;;
    '--color')
        __carnet_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __carnet_add_completions -W "$(__carnet_custom_complete ---completion profile -- positional@0 "${COMP_CWORD}" "$(__carnet_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_carnet_resources() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __carnet_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    list|check)
        # Offer subcommand argument completions
        "_carnet_resources_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'list check' -- "${cur}"))
        ;;
    esac
}

_carnet_resources_list() {
    repeating_flags=()
    non_repeating_flags=(--json -v --verbose -q --quiet --version -h --help)
    repeating_options=(--providers --input --input-env --allow-local)
    non_repeating_options=(--account --clients --client-id --client-secret-env --environment --redirect-uri --timeout --sandbox --ca-file --map --color)
    __carnet_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--account')
        __carnet_add_completions -W "$(__carnet_custom_complete ---completion resources list -- --account "${COMP_CWORD}" "$(__carnet_cursor_index_in_current_word)")"
        return
        ;;
    '--providers')
        __carnet_add_completions -d
        return
        ;;
    '--clients')
        __carnet_add_completions -o plusdirs -fX '!*.@(yaml|yml)'
        return
        ;;
    '--client-id')
        return
        ;;
    '--client-secret-env')
        return
        ;;
    '--input')
        return
        ;;
    '--input-env')
        return
        ;;
    '--environment')
        return
        ;;
    '--redirect-uri')
        return
        ;;
    '--timeout')
        return
        ;;
    '--sandbox')
        return
        ;;
    '--ca-file')
        __carnet_add_completions -f
        return
        ;;
    '--allow-local')
        return
        ;;
    '--map')
        __carnet_add_completions -f
        return
        ;;
    '--color')
        __carnet_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __carnet_add_completions -W "$(__carnet_custom_complete ---completion resources list -- positional@0 "${COMP_CWORD}" "$(__carnet_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_carnet_resources_check() {
    repeating_flags=()
    non_repeating_flags=(--without-token --json --version -h --help)
    repeating_options=(--scopes --claims)
    non_repeating_options=(--host --requests --color)
    __carnet_offer_flags_options 3

    # Offer option value completions
    case "${prev}" in
    '--scopes')
        return
        ;;
    '--claims')
        return
        ;;
    '--host')
        return
        ;;
    '--requests')
        __carnet_add_completions -f
        return
        ;;
    '--color')
        __carnet_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __carnet_add_completions -o plusdirs -fX '!*.@(yaml|yml)'
        return
        ;;
    esac
}

_carnet_call() {
    repeating_flags=()
    non_repeating_flags=(--client-credentials --jwt-bearer --json -v --verbose -q --quiet --version -h --help)
    repeating_options=(--providers --input --input-env --allow-local --scope --resource)
    non_repeating_options=(--account --clients --client-id --client-secret-env --environment --redirect-uri --timeout --sandbox --ca-file --map -X --request -d --data --subject --assertion-env --color)
    __carnet_offer_flags_options 2

    # Offer option value completions
    case "${prev}" in
    '--account')
        __carnet_add_completions -W "$(__carnet_custom_complete ---completion call -- --account "${COMP_CWORD}" "$(__carnet_cursor_index_in_current_word)")"
        return
        ;;
    '--providers')
        __carnet_add_completions -d
        return
        ;;
    '--clients')
        __carnet_add_completions -o plusdirs -fX '!*.@(yaml|yml)'
        return
        ;;
    '--client-id')
        return
        ;;
    '--client-secret-env')
        return
        ;;
    '--input')
        return
        ;;
    '--input-env')
        return
        ;;
    '--environment')
        return
        ;;
    '--redirect-uri')
        return
        ;;
    '--timeout')
        return
        ;;
    '--sandbox')
        return
        ;;
    '--ca-file')
        __carnet_add_completions -f
        return
        ;;
    '--allow-local')
        return
        ;;
    '--map')
        __carnet_add_completions -f
        return
        ;;
    '-X'|'--request')
        __carnet_add_completions -W 'GET'$'\n''POST'$'\n''PUT'$'\n''PATCH'$'\n''DELETE'$'\n''HEAD'
        return
        ;;
    '-d'|'--data')
        return
        ;;
    '--subject')
        return
        ;;
    '--assertion-env')
        return
        ;;
    '--scope')
        return
        ;;
    '--resource')
        return
        ;;
    '--color')
        __carnet_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __carnet_add_completions -W "$(__carnet_custom_complete ---completion call -- positional@0 "${COMP_CWORD}" "$(__carnet_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_carnet_mcp() {
    repeating_flags=()
    non_repeating_flags=(--no-browser --client-credentials --jwt-bearer --allow-http -q --quiet -v --verbose --version -h --help)
    repeating_options=(--providers --input --input-env --allow-local --authorization-host --header --header-env --scope --resource)
    non_repeating_options=(--account --clients --client-id --client-secret-env --environment --redirect-uri --timeout --sandbox --ca-file --client-id-document --subject --assertion-env)
    __carnet_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--account')
        __carnet_add_completions -W "$(__carnet_custom_complete ---completion mcp -- --account "${COMP_CWORD}" "$(__carnet_cursor_index_in_current_word)")"
        return
        ;;
    '--providers')
        __carnet_add_completions -d
        return
        ;;
    '--clients')
        __carnet_add_completions -o plusdirs -fX '!*.@(yaml|yml)'
        return
        ;;
    '--client-id')
        return
        ;;
    '--client-secret-env')
        return
        ;;
    '--input')
        return
        ;;
    '--input-env')
        return
        ;;
    '--environment')
        return
        ;;
    '--redirect-uri')
        return
        ;;
    '--timeout')
        return
        ;;
    '--sandbox')
        return
        ;;
    '--ca-file')
        __carnet_add_completions -f
        return
        ;;
    '--allow-local')
        return
        ;;
    '--client-id-document')
        return
        ;;
    '--authorization-host')
        return
        ;;
    '--header')
        return
        ;;
    '--header-env')
        return
        ;;
    '--subject')
        return
        ;;
    '--assertion-env')
        return
        ;;
    '--scope')
        return
        ;;
    '--resource')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __carnet_add_completions -W "$(__carnet_custom_complete ---completion mcp -- positional@0 "${COMP_CWORD}" "$(__carnet_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_carnet_refresh() {
    repeating_flags=()
    non_repeating_flags=(--json -v --verbose -q --quiet --version -h --help)
    repeating_options=(--providers --input --input-env --allow-local)
    non_repeating_options=(--account --clients --client-id --client-secret-env --environment --redirect-uri --timeout --sandbox --ca-file --color)
    __carnet_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--account')
        __carnet_add_completions -W "$(__carnet_custom_complete ---completion refresh -- --account "${COMP_CWORD}" "$(__carnet_cursor_index_in_current_word)")"
        return
        ;;
    '--providers')
        __carnet_add_completions -d
        return
        ;;
    '--clients')
        __carnet_add_completions -o plusdirs -fX '!*.@(yaml|yml)'
        return
        ;;
    '--client-id')
        return
        ;;
    '--client-secret-env')
        return
        ;;
    '--input')
        return
        ;;
    '--input-env')
        return
        ;;
    '--environment')
        return
        ;;
    '--redirect-uri')
        return
        ;;
    '--timeout')
        return
        ;;
    '--sandbox')
        return
        ;;
    '--ca-file')
        __carnet_add_completions -f
        return
        ;;
    '--allow-local')
        return
        ;;
    '--color')
        __carnet_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __carnet_add_completions -W "$(__carnet_custom_complete ---completion refresh -- positional@0 "${COMP_CWORD}" "$(__carnet_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_carnet_logout() {
    repeating_flags=()
    non_repeating_flags=(--revoke --everywhere --json -v --verbose -q --quiet --version -h --help)
    repeating_options=(--providers --input --input-env --allow-local)
    non_repeating_options=(--account --clients --client-id --client-secret-env --environment --redirect-uri --timeout --sandbox --ca-file --color)
    __carnet_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--account')
        __carnet_add_completions -W "$(__carnet_custom_complete ---completion logout -- --account "${COMP_CWORD}" "$(__carnet_cursor_index_in_current_word)")"
        return
        ;;
    '--providers')
        __carnet_add_completions -d
        return
        ;;
    '--clients')
        __carnet_add_completions -o plusdirs -fX '!*.@(yaml|yml)'
        return
        ;;
    '--client-id')
        return
        ;;
    '--client-secret-env')
        return
        ;;
    '--input')
        return
        ;;
    '--input-env')
        return
        ;;
    '--environment')
        return
        ;;
    '--redirect-uri')
        return
        ;;
    '--timeout')
        return
        ;;
    '--sandbox')
        return
        ;;
    '--ca-file')
        __carnet_add_completions -f
        return
        ;;
    '--allow-local')
        return
        ;;
    '--color')
        __carnet_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __carnet_add_completions -W "$(__carnet_custom_complete ---completion logout -- positional@0 "${COMP_CWORD}" "$(__carnet_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_carnet_doctor() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=()
    non_repeating_options=(--color)
    __carnet_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--color')
        __carnet_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac
}

_carnet_help() {
    repeating_flags=()
    non_repeating_flags=(--version)
    repeating_options=()
    non_repeating_options=()
    __carnet_offer_flags_options -1

    # Offer commands and topics
    if [[ "${positional_number}" -eq 1 ]]; then
        __carnet_add_completions -W 'lint'$'\n''explain'$'\n''schema'$'\n''new'$'\n''import'$'\n''providers'$'\n''show'$'\n''try'$'\n''sandbox'$'\n''demo'$'\n''compare'$'\n''gateway'$'\n''register'$'\n''client-document'$'\n''login'$'\n''accounts'$'\n''token'$'\n''profile'$'\n''resources'$'\n''call'$'\n''mcp'$'\n''refresh'$'\n''logout'$'\n''doctor'$'\n''clients'$'\n''environment'$'\n''exit-status'$'\n''folders'$'\n''formatting'$'\n''topics'
    fi
}

complete -o filenames -F _carnet carnet
