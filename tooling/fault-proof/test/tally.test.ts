import { describe, expect, it } from "vitest";
import { type Account, type Accounts, emptyAccount } from "../src/account.ts";
import { tallyOf } from "../src/tally.ts";

const SCARCE = 60;
const NOTHING = { bucket: 0, log: 0, plenty: 0, broken: 0 };

/** Nobody called but for the key of the bucket. */
function tallyOfBucket(bucket: Partial<Account>, used: number) {
  const accounts: Accounts = {
    bucket: { ...emptyAccount(), ...bucket },
    log: emptyAccount(),
    plenty: emptyAccount(),
    broken: emptyAccount(),
  };
  return tallyOf(accounts, { ...NOTHING, bucket: used }, SCARCE);
}

describe("tallyOf", () => {
  it("finds nothing wrong where the store counts what was granted", () => {
    const tally = tallyOfBucket({ calls: 70, settled: 70, granted: 60, denied: 10 }, 60);
    expect(tally).toMatchObject({ calls: 70, settled: 70, granted: 60, excess: 0, lost: 0, doubled: 0 });
  });

  it("finds lost what was granted and is not counted", () => {
    expect(tallyOfBucket({ granted: 50 }, 47)).toMatchObject({ lost: 3, doubled: 0 });
  });

  it("finds doubled what is counted and was neither granted nor uncertain", () => {
    expect(tallyOfBucket({ granted: 50, uncertain: 2 }, 55)).toMatchObject({ lost: 0, doubled: 3 });
  });

  it("leaves open whether what is uncertain was counted", () => {
    for (const used of [50, 51, 52]) {
      expect(tallyOfBucket({ granted: 50, uncertain: 2 }, used)).toMatchObject({ lost: 0, doubled: 0 });
    }
  });

  it("finds what was granted beyond a limit", () => {
    expect(tallyOfBucket({ granted: 61 }, 60)).toMatchObject({ excess: 1, scarceGranted: 61 });
  });
});
