/**
 * The SHA-1 of a text's UTF-8, in hexadecimal, by which Redis names scripts.
 *
 * Source: FIPS 180-4, section 6.1.2. Core runs where there is no `node:crypto`, and Web Crypto answers only with a
 * promise. SHA-1 protects nothing here.
 */
export function sha1(text: string): string {
  const words = padded(new TextEncoder().encode(text));
  let [h0, h1, h2, h3, h4] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
  const w = new Uint32Array(80);
  for (let block = 0; block < words.length; block += 16) {
    for (let t = 0; t < 80; t++) {
      w[t] =
        t < 16
          ? at(words, block + t)
          : rotate(at(w, t - 3) ^ at(w, t - 8) ^ at(w, t - 14) ^ at(w, t - 16), 1);
    }
    let [a, b, c, d, e] = [h0, h1, h2, h3, h4];
    for (let t = 0; t < 80; t++) {
      const sum = (rotate(a, 5) + mix(t, b, c, d) + e + at(w, t)) >>> 0;
      [a, b, c, d, e] = [sum, a, rotate(b, 30), c, d];
    }
    h0 = (h0 + a) >>> 0;
    h1 = (h1 + b) >>> 0;
    h2 = (h2 + c) >>> 0;
    h3 = (h3 + d) >>> 0;
    h4 = (h4 + e) >>> 0;
  }
  return [h0, h1, h2, h3, h4].map((word) => word.toString(16).padStart(8, "0")).join("");
}

/** The message, a 1 bit, zeros, and its length in bits, as big-endian words in blocks of 16. */
function padded(bytes: Uint8Array): Uint32Array {
  const words = new Uint32Array(Math.ceil((bytes.length + 9) / 64) * 16);
  const put = (byte: number, index: number): void => {
    const word = index >> 2;
    words[word] = at(words, word) | (byte << (24 - 8 * (index & 3)));
  };
  bytes.forEach(put);
  put(0x80, bytes.length);
  words[words.length - 1] = bytes.length * 8;
  return words;
}

/** The function and constant of round t, added. */
function mix(t: number, b: number, c: number, d: number): number {
  if (t < 20) return ((b & c) | (~b & d)) + 0x5a827999;
  if (t < 40) return (b ^ c ^ d) + 0x6ed9eba1;
  if (t < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
  return (b ^ c ^ d) + 0xca62c1d6;
}

function rotate(word: number, bits: number): number {
  return ((word << bits) | (word >>> (32 - bits))) >>> 0;
}

function at(words: Uint32Array, index: number): number {
  return words[index] ?? 0;
}
