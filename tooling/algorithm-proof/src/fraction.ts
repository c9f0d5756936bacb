/** An exact number, for models. */
export class Fraction {
  readonly #numerator: bigint;
  /** Above 0. */
  readonly #denominator: bigint;

  private constructor(numerator: bigint, denominator: bigint) {
    this.#numerator = numerator;
    this.#denominator = denominator;
  }

  /** Whole numbers, one over the other. */
  static of(numerator: number | bigint, denominator: number | bigint = 1): Fraction {
    return new Fraction(BigInt(numerator), BigInt(denominator));
  }

  plus(other: Fraction): Fraction {
    const numerator = this.#numerator * other.#denominator + other.#numerator * this.#denominator;
    return new Fraction(numerator, this.#denominator * other.#denominator).#reduced();
  }

  minus(other: Fraction): Fraction {
    return this.plus(new Fraction(-other.#numerator, other.#denominator));
  }

  times(other: Fraction): Fraction {
    const numerator = this.#numerator * other.#numerator;
    return new Fraction(numerator, this.#denominator * other.#denominator).#reduced();
  }

  /** @throws {RangeError} for a divisor that is not above 0 */
  over(divisor: Fraction): Fraction {
    if (divisor.#numerator <= 0n) throw new RangeError("a divisor must be above 0");
    return this.times(new Fraction(divisor.#denominator, divisor.#numerator));
  }

  /** Whether it is at most as large as another one. */
  fits(other: Fraction): boolean {
    return this.#numerator * other.#denominator <= other.#numerator * this.#denominator;
  }

  floor(): number {
    const whole = this.#numerator / this.#denominator;
    const below = this.#numerator < 0n && whole * this.#denominator !== this.#numerator;
    return Number(below ? whole - 1n : whole);
  }

  ceiling(): number {
    return -new Fraction(-this.#numerator, this.#denominator).floor();
  }

  toString(): string {
    return `${this.#numerator}/${this.#denominator}`;
  }

  #reduced(): Fraction {
    let [a, b] = [this.#numerator < 0n ? -this.#numerator : this.#numerator, this.#denominator];
    while (b !== 0n) [a, b] = [b, a % b];
    return new Fraction(this.#numerator / a, this.#denominator / a);
  }
}

/** The smallest of some. */
export function least(first: Fraction, ...others: readonly Fraction[]): Fraction {
  return others.reduce((found, other) => (found.fits(other) ? found : other), first);
}

/** The largest of some. */
export function most(first: Fraction, ...others: readonly Fraction[]): Fraction {
  return others.reduce((found, other) => (found.fits(other) ? other : found), first);
}
