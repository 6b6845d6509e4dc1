export { fc, seed } from "./seed.ts";
