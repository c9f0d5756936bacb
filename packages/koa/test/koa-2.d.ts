/** As much of version 2 as the tests use is typed like version 3. */
declare module "koa-2" {
  import Koa from "koa";
  export default Koa;
}
