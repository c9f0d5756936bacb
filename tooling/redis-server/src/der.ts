/**
 * What a certificate is written in: each value is a tag, a length, and its content.
 *
 * @see https://www.itu.int/rec/T-REC-X.690
 */
type Der = Buffer;

export const boolean = (value: boolean): Der => tagged(0x01, Buffer.from([value ? 0xff : 0]));
export const octetString = (content: Uint8Array): Der => tagged(0x04, content);
export const utf8String = (text: string): Der => tagged(0x0c, Buffer.from(text));
export const sequence = (...items: Der[]): Der => tagged(0x30, ...items);
export const set = (...items: Der[]): Der => tagged(0x31, ...items);

/** A field that is told by its number: its content alone, or a whole value. */
export const field = (number: number, content: Uint8Array): Der => tagged(0x80 + number, content);
export const wrapped = (number: number, item: Der): Der => tagged(0xa0 + number, item);

/** A number that is not negative, from its bytes, of which the first is not zero. */
export function integer(bytes: Uint8Array): Der {
  // The first bit is the sign.
  return tagged(0x02, Buffer.from([0]).subarray((bytes[0] ?? 0) < 0x80 ? 1 : 0), bytes);
}

/** Bits that fill their last byte. */
export function bitString(bytes: Uint8Array): Der {
  return tagged(0x03, Buffer.from([0]), bytes);
}

/** A time to the second, of a year before 2050, of which it has the last two digits. */
export function time(date: Date): Der {
  const digits = date.toISOString().replace(/^\d\d|\.\d+|[-:T]/g, "");
  return tagged(0x17, Buffer.from(digits));
}

/** An identifier such as `2.5.29.17`. */
export function objectId(dotted: string): Der {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return tagged(0x06, Buffer.from([40 * first + second, ...rest.flatMap(sevenBitsEach)]));
}

/** All bytes but the last have their first bit set. */
function sevenBitsEach(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let left = value >> 7; left > 0; left >>= 7) bytes.unshift((left & 0x7f) | 0x80);
  return bytes;
}

function tagged(tag: number, ...contents: Uint8Array[]): Der {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag, ...lengthBytes(content.length)]), content]);
}

function lengthBytes(length: number): number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}
