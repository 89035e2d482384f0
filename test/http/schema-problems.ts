/** What values have that a schema of an interface description does not allow. */

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** Compiles each schema once, however many answers share it: all components are compiled with it. */
export function schemaProblems(
  components: object,
): (schema: object, values: readonly unknown[]) => readonly string[] {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const validators = new Map<string, ValidateFunction>();
  return (schema, values) => {
    const text = JSON.stringify(schema);
    const validate = validators.get(text) ?? ajv.compile({ ...schema, components });
    validators.set(text, validate);
    return values.flatMap((value) => (validate(value) ? [] : ajv.errorsText(validate.errors)));
  };
}
