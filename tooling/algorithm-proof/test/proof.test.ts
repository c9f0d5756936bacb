import { proveAlgorithm } from "../src/index.ts";
import { plainWindow } from "./subject.ts";

// an algorithm that is no bucket, so that no proof assumes one
proveAlgorithm(plainWindow());
