/** As much of version 4 as the tests use is typed like version 5. */
declare module "express-4" {
  import express from "express";
  export default express;
}
