import { InvalidKeyError } from "./errors.js";
import type { Key } from "./limiter.js";
import { shown } from "./whole.js";

/** Stands between the parts of a key. */
const SEPARATOR = "|";
const MAX_BYTES = 16_384;
/** A UTF-16 unit becomes at most this many bytes of UTF-8. */
const MAX_BYTES_PER_UNIT = 3;
/** No key of so many units is too long. */
const SURELY_SHORT = Math.floor(MAX_BYTES / MAX_BYTES_PER_UNIT);

/**
 * What may not stand in a key as it is: the escape character itself, the braces of a hash tag, the separator, and
 * halves of surrogate pairs, which UTF-8 cannot carry: clients would send all of them as one and the same character.
 */
const RESERVED = /[%{}|]|\p{Surrogate}/gu;
const HAS_RESERVED = /[%{}|]|\p{Surrogate}/u;

const utf8 = new TextEncoder();

/**
 * The text of a key, such that no two keys share one and no user can name another user's.
 *
 * @throws InvalidKeyError for the empty key, an empty array or part, a non-string, more than 16,384 bytes
 */
export function encodeKey(limiterName: string, key: Key): string {
  if (typeof key === "string") {
    if (key !== "" && key.length <= SURELY_SHORT && !HAS_RESERVED.test(key)) return key;
    return checkLength(limiterName, encodePart(limiterName, key));
  }
  if (!Array.isArray(key) || key.length === 0) {
    throw invalid(limiterName, `a key must be a string or a non-empty array of strings, got ${shown(key)}`);
  }
  const parts: string[] = [];
  // not map(), which would skip the holes of a sparse array
  for (const part of key) parts.push(encodePart(limiterName, part));
  return checkLength(limiterName, parts.join(SEPARATOR));
}

/**
 * The texts of one key, or of each in a list.
 *
 * @throws InvalidKeyError
 */
export function encodeKeys(limiterName: string, keys: string | readonly Key[]): string[] {
  if (typeof keys === "string") return [encodeKey(limiterName, keys)];
  if (!Array.isArray(keys)) {
    throw invalid(limiterName, `a key or an array of keys was expected, got ${shown(keys)}`);
  }
  // not map(), which would skip the holes of a sparse array
  return Array.from(keys, (key) => encodeKey(limiterName, key));
}

function encodePart(limiterName: string, part: unknown): string {
  if (typeof part !== "string") {
    throw invalid(limiterName, `a key must be a string or a non-empty array of strings, got ${shown(part)}`);
  }
  if (part === "") throw invalid(limiterName, 'a key must have at least one character in each part, got ""');
  return HAS_RESERVED.test(part) ? part.replace(RESERVED, percentEncoded) : part;
}

/** The three bytes of a lone surrogate are those that UTF-8's scheme would give it, were it allowed. */
function percentEncoded(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x80) return `%${hex(code)}`;
  return `%${hex(0xe0 | (code >> 12))}%${hex(0x80 | ((code >> 6) & 0x3f))}%${hex(0x80 | (code & 0x3f))}`;
}

function hex(byte: number): string {
  return byte.toString(16).toUpperCase().padStart(2, "0");
}

function checkLength(limiterName: string, encoded: string): string {
  if (encoded.length > SURELY_SHORT) {
    const bytes = utf8.encode(encoded).length;
    if (bytes > MAX_BYTES) {
      throw invalid(limiterName, `a key must have at most ${MAX_BYTES} bytes once encoded, got ${bytes}`);
    }
  }
  return encoded;
}

function invalid(limiterName: string, problem: string): InvalidKeyError {
  return new InvalidKeyError(`limiter ${shown(limiterName)}: ${problem}`);
}
