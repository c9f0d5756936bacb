export { type Bundle, bundle } from "./bundle.ts";
export { type Ended, runAlone } from "./run-alone.ts";
