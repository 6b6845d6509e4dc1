export { type Oracle, startOracle } from "./oracle.ts";
export { ensurePythonModules } from "./pyyaml/python-modules.ts";
export { ensureHelm, ensureOracle } from "./programs.ts";
export type {
  ChartAnswer,
  ChartRequest,
  OracleAnswer,
  OracleRequest,
  ProcessRequest,
  TemplateRequest,
  VerifyRequest,
  YamlRequest,
} from "./requests.ts";
