import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { checkout, generatedPages } from "./generated-pages.ts";

for (const { path, generate } of generatedPages) await writeFile(join(checkout, path), await generate());
