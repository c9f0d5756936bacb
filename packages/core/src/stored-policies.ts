import type { Algorithm, CompiledPolicy, Numbers } from "./algorithm-definition.js";
import { InvalidPolicyError, StoreError } from "./errors.js";
import { checkKnown } from "./known-options.js";
import type { Policy } from "./limiter.js";
import { policyChecks } from "./policy-checks.js";
import { policyData } from "./policy-data.js";
import { fieldsOf, fieldValue, optionsIn, type PolicyFields } from "./policy-fields.js";
import type { KeyPolicy } from "./store.js";
import { shown } from "./whole.js";

/** How one limiter's policies for single keys are written as fields, and read from them. */
export class StoredPolicies {
  readonly #name: string;
  readonly #algorithm: Pick<Algorithm<never, Numbers>, "id" | "options" | "compile">;

  constructor(name: string, algorithm: Pick<Algorithm<never, Numbers>, "id" | "options" | "compile">) {
    this.#name = name;
    this.#algorithm = algorithm;
  }

  /** @throws InvalidPolicyError for options that the algorithm cannot keep */
  write(own: object): KeyPolicy {
    checkKnown(`limiter ${shown(this.#name)}, setLimit()`, own, this.#algorithm.options);
    const options = Object.fromEntries(Object.entries(own));
    const { data, params } = this.#algorithm.compile(options, policyChecks(this.#name));
    return { fields: fieldsOf(data), params };
  }

  /** @throws StoreError where somebody has broken them: it names the field */
  read(fields: PolicyFields): Policy {
    const compiled = this.#compile(fields);
    const expected = fieldsOf(compiled.data);
    const stranger = Object.keys(fields).find((field) => !Object.hasOwn(expected, field));
    if (stranger !== undefined) throw this.#broken(`${stranger} is no field of such a policy`);
    for (const [field, text] of Object.entries(fields)) {
      // what a factory would take for a duration is no number
      if (String(fieldValue(text)) !== expected[field]) {
        throw this.#broken(`${field} must be a whole number, got ${shown(text)}`);
      }
    }
    return policyData(this.#algorithm.id, compiled);
  }

  #compile(fields: PolicyFields): CompiledPolicy {
    try {
      return this.#algorithm.compile(optionsIn(fields), policyChecks(this.#name));
    } catch (error) {
      if (error instanceof InvalidPolicyError) throw this.#broken(ofFields(error.message), error);
      throw error;
    }
  }

  #broken(problem: string, cause?: unknown): StoreError {
    return new StoreError(
      `limiter ${shown(this.#name)}: the policy that is stored for this key is broken: ${problem}`,
      { cause, mayHaveCounted: false },
    );
  }
}

/** What is said of an option, said of its field: a duration is a whole number there. */
function ofFields(problem: string): string {
  return problem
    .replace(/^limiter "[^"]*": /, "")
    .replace(
      /^(\S+) must be a positive number of milliseconds.*?, at most/,
      "$1Ms must be a whole number, at most",
    );
}
