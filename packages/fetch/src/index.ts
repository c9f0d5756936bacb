export { limitedFetch } from "./limited-fetch.js";
export type { CommonFetchOptions, CompositeFetchOptions, LimitedFetchOptions, Saying } from "./options.js";
