import { measureApparatus } from "./apparatus.ts";
import { measureApply } from "./apply.ts";
import { measureBundleLoad } from "./bundle-load.ts";
import { measureBundleQuery } from "./bundle-query.ts";
import { measureChain } from "./chain.ts";
import { measureChart } from "./chart.ts";
import { measureCli } from "./cli.ts";
import { measureClusterStart } from "./cluster-start.ts";
import { measureConsole } from "./console.ts";
import { measureCouple } from "./couple.ts";
import { measureCoupleMany } from "./couple-many.ts";
import { measureCoupleMemory } from "./couple-memory.ts";
import { measureEnvironments } from "./environments.ts";
import { measureImage } from "./image.ts";
import { measureImport } from "./import.ts";
import { measureIntake } from "./intake.ts";
import { measureInventory } from "./inventory.ts";
import { measureManage } from "./manage.ts";
import { measureMany } from "./many.ts";
import { measurePacked } from "./packed.ts";
import { measurePlan } from "./plan.ts";
import { measurePropagate } from "./propagate.ts";
import { measureQueue } from "./queue.ts";
import { measureReflector } from "./reflector.ts";
import { measureRelease } from "./release.ts";
import { measureRetag } from "./retag.ts";
import { measureTemplate } from "./template.ts";
import { measureValidate } from "./validate.ts";
import { measureYaml } from "./yaml.ts";

const measures = [
  measureCli,
  measureImport,
  measureImage,
  measureQueue,
  measureValidate,
  measureBundleLoad,
  measureBundleQuery,
  measureTemplate,
  measureChart,
  measureYaml,
  measureManage,
  measurePlan,
  measurePacked,
  measureMany,
  measureRetag,
  measureRelease,
  measurePropagate,
  measureChain,
  measureClusterStart,
  measureApply,
  measureInventory,
  measureReflector,
  measureCouple,
  measureCoupleMemory,
  measureCoupleMany,
  measureApparatus,
  measureIntake,
  measureConsole,
  measureEnvironments,
];
for (const measure of measures) await measure();
