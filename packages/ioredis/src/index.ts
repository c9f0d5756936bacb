export { type IoredisClient, ioredisStore } from "./ioredis-store.js";
