import type { Limiter } from "@sluice/core";
import { describe, expect, it } from "vitest";
import type { ProofServer } from "../proof-server.ts";
import { onBothStores, redisGround } from "../rig.ts";
import { KEY, settingOf } from "../setting.ts";
import type { Subject } from "../subject.ts";

const NOT_UNITS: readonly [value: unknown, shown: string][] = [
  [-1, "-1"],
  [0.5, "0.5"],
  [Number.NaN, "NaN"],
  [Number.POSITIVE_INFINITY, "Infinity"],
  [2 ** 53, "9007199254740992"],
  ["1", '"1"'],
  [null, "null"],
  [1n, "1n"],
];
const NOT_KEYS: readonly [value: unknown, shown: string][] = [
  ["", '""'],
  [[], "an array"],
  [["a", ""], '""'],
  [["a", 1], "1"],
  [7, "7"],
  [undefined, "undefined"],
  ["x".repeat(16_385), "16385"],
];

/** Misuse is refused before anything is touched, and the message names what was said. */
export function proveBadInput<Own extends object>(subject: Subject<Own>, server: ProofServer): void {
  describe("misuse", () => {
    onBothStores(server, (ground) => {
      const setting = () => settingOf(subject, ground, subject.shape(10, 60_000));

      it.each(NOT_UNITS)(
        "refuses %o as a cost, a least cost and a reserve, and touches nothing",
        async (value, shown) => {
          const { rig, limiter } = setting();
          for (const options of [{ cost: value }, { atLeast: value }, { reserve: value }]) {
            await expectRefusal(untyped(limiter, "consume", KEY, options), "ERR_SLUICE_INVALID_COST", shown);
          }
          for (const options of [{ cost: value }, { reserve: value }]) {
            await expectRefusal(untyped(limiter, "peek", KEY, options), "ERR_SLUICE_INVALID_COST", shown);
          }
          expect(await rig.keyCount()).toBe(0);
        },
      );

      it.each(NOT_UNITS)(
        "refuses %o as an actual cost, and leaves the grant as it is",
        async (value, shown) => {
          const { limiter } = setting();
          const decision = await limiter.consume(KEY, { cost: 3 });
          await expectRefusal(untyped(limiter, "settle", decision, value), "ERR_SLUICE_INVALID_COST", shown);
          expect((await limiter.peek(KEY)).remaining).toBe(7);
        },
      );

      it("refuses to take at least more than the cost", async () => {
        const { rig, limiter } = setting();
        await expectRefusal(limiter.consume(KEY, { cost: 2, atLeast: 3 }), "ERR_SLUICE_INVALID_COST", "3");
        expect(await rig.keyCount()).toBe(0);
      });

      it.each(NOT_KEYS)("refuses %o as a key, and touches nothing", async (key, shown) => {
        const { rig, limiter } = setting();
        for (const method of ["consume", "peek", "reset"] as const) {
          await expectRefusal(untyped(limiter, method, key), "ERR_SLUICE_INVALID_KEY", shown);
        }
        expect(await rig.keyCount()).toBe(0);
      });

      it("rejects with the own reason of a signal that is aborted, and touches nothing", async () => {
        const { rig, limiter } = setting();
        const reason = { why: "the caller has left" };
        const signal = AbortSignal.abort(reason);
        await expect(limiter.consume(KEY, { signal })).rejects.toBe(reason);
        await expect(limiter.peek(KEY, { signal })).rejects.toBe(reason);
        expect(await rig.keyCount()).toBe(0);
      });

      it("refuses a name that could not stand in a key", () => {
        const { rig } = setting();
        for (const name of ["", "1st", "a b", "a{b", "a:b", "x".repeat(65)]) {
          const make = () => subject.create({ ...subject.shape(1, 1_000), name, store: rig.store });
          expect(make).toThrow(expect.objectContaining({ code: "ERR_SLUICE_INVALID_POLICY" }));
          expect(make).toThrow(JSON.stringify(name));
        }
      });

      it("refuses an option that it does not know", () => {
        const { rig } = setting();
        const stranger = { burst: 3, name: "proof", store: rig.store };
        expect(() => subject.create({ ...subject.shape(1, 1_000), ...stranger })).toThrow('"burst"');
      });

      it("refuses parts of units as a limit, a rate that rounds to nothing among them", () => {
        // go-gitlab#1837
        for (const limit of [0.33, 1.5, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
          const make = () => settingOf(subject, ground, subject.shape(limit, 1_000));
          expect(make).toThrow(expect.objectContaining({ code: "ERR_SLUICE_INVALID_POLICY" }));
          expect(make).toThrow(/"proof".*got /);
        }
      });

      it("refuses a window that is none", () => {
        for (const windowMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
          const make = () => settingOf(subject, ground, subject.shape(1, windowMs));
          expect(make).toThrow(expect.objectContaining({ code: "ERR_SLUICE_INVALID_POLICY" }));
          expect(make).toThrow(String(windowMs));
        }
      });
    });

    it("gives a unit back that was granted to a caller who left while Redis was asked", async () => {
      const { limiter } = settingOf(subject, redisGround(server), subject.shape(10, 60_000));
      const leaving = new AbortController();
      const call = limiter.consume(KEY, { cost: 4, signal: leaving.signal });
      leaving.abort("left");
      await expect(call).rejects.toBe("left");
      await expect.poll(async () => (await limiter.peek(KEY)).remaining).toBe(10);
    });
  });
}

/** A call as untyped code may make it. */
function untyped(
  limiter: Limiter,
  method: "consume" | "peek" | "settle" | "reset",
  ...args: unknown[]
): Promise<unknown> {
  return Reflect.apply(limiter[method], limiter, args);
}

async function expectRefusal(call: Promise<unknown>, code: string, shown: string): Promise<void> {
  await expect(call).rejects.toMatchObject({ code, message: expect.stringContaining(shown) });
  await expect(call).rejects.toThrow('"proof"');
}
