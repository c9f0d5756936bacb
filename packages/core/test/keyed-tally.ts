import { type Algorithm, defineAlgorithm, type LimiterFactory } from "@sluice/core/algorithm";
import { type TallyOptions, type TallyParams, type TallyState, tallyAlgorithm } from "./tiny-algorithm.js";

/** A tally whose keys may have policies of their own: a few lines of Lua more. */
export const keyedTallyAlgorithm: Algorithm<TallyOptions, TallyParams, TallyState> = {
  ...tallyAlgorithm,
  id: "keyed-tally",
  tag: "kty",
  perKey: {
    fields: [
      { name: "limit", is: "number" },
      { name: "windowMs", is: "number" },
    ],
    lua: `
      limit, window = tonumber(said1), tonumber(said2)
      if limit > 9007199254740991 then
        outside = {'limit', 'a whole number from 0 to 9007199254740991', said1}
      elseif window < 1 or window > 4503599627370496 then
        outside = {'windowMs', 'a whole number from 1 to 4503599627370496', said2}
      end`,
    most: "limit",
    bounds: ([limit, windowMs]) => ({ limit, windowMs }),
  },
};

export const keyedTally: LimiterFactory<TallyOptions> = defineAlgorithm(keyedTallyAlgorithm);
