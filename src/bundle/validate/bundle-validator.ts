import type { Bundle, Datafile } from "../bundle.ts";
import { collectFacts, type DatafileFacts } from "../facts/datafile-facts.ts";
import { SchemaNodes } from "../facts/schema-node.ts";
import { DescribedTypes } from "../facts/described-type.ts";
import { checkDescription, checkSchemas } from "./check-schemas.ts";
import { checkDatafile, checkDescriptionFile, checkResource, type SchemaContext } from "./check-file.ts";
import { checkOrder } from "./check-order.ts";
import { checkReferences } from "./check-references.ts";
import { checkContextUnique, checkIntegrationNames, checkUnique } from "./check-unique.ts";
import { type BundleFinding, PathGuesser } from "./bundle-finding.ts";
import { CompiledSchemas } from "./compiled-schemas.ts";

export interface BundleValidation {
  readonly bundle: Bundle;
  readonly errors: readonly BundleFinding[];
  readonly warnings: readonly BundleFinding[];
  /** References and unique values of each data file. */
  readonly facts: ReadonlyMap<Datafile, DatafileFacts>;
}

/** Everything that depends only on schemas and types. */
interface Model extends SchemaContext {
  readonly schemas: Bundle["schemas"];
  readonly types: Bundle["types"];
  readonly description: Bundle["description"];
  readonly typeNodes: DescribedTypes;
  readonly findings: readonly BundleFinding[];
  /** The results by file; an unchanged file is the same object. */
  readonly files: WeakMap<object, CheckedFile>;
}

interface CheckedFile {
  readonly findings: readonly BundleFinding[];
  readonly facts: DatafileFacts;
}

/** Validates consecutive bundles, and checks only files that it has not seen. */
export class BundleValidator {
  #model: Model | undefined;

  validate(bundle: Bundle): BundleValidation {
    const model = this.#modelOf(bundle);
    const facts = new Map<Datafile, DatafileFacts>();
    const findings: BundleFinding[] = [...model.findings];
    for (const datafile of bundle.datafiles.values()) {
      const checked = checkOnce(model, datafile, () => checkOne(datafile, model));
      facts.set(datafile, checked.facts);
      if (checked.findings.length > 0) findings.push(...checked.findings);
    }
    const context = {
      bundle,
      unreadable: new Set(bundle.unreadable?.map(({ part, path }) => `${part} ${path}`)),
      compiled: model.compiled,
      datafileGuesser: new PathGuesser(bundle.datafiles),
      resourceGuesser: new PathGuesser(bundle.resources),
    };
    for (const [datafile, fact] of facts) {
      checkReferences(datafile, fact, context, findings);
      if (fact.lists.length > 0) findings.push(...checkContextUnique(datafile, fact, bundle, model.typeNodes));
    }
    for (const resource of bundle.resources.values()) {
      if (resource.schema === undefined) continue;
      const checked = checkOnce(model, resource, () => ({ findings: checkResource(resource, model), facts: noFacts }));
      findings.push(...checked.findings);
    }
    findings.push(...checkUnique(facts), ...checkIntegrationNames(bundle, facts), ...checkOrder(bundle));
    return {
      bundle,
      facts,
      errors: findings.filter(({ reason }) => reason !== undefined),
      warnings: findings.filter(({ reason }) => reason === undefined),
    };
  }

  #modelOf({ schemas, types, description }: Bundle): Model {
    const known = this.#model;
    if (known?.schemas === schemas && known.types === types && known.description === description) return known;
    const compiled = new CompiledSchemas(schemas);
    const typeNodes = new DescribedTypes(types);
    const context: SchemaContext = {
      compiled,
      schemaPaths: new Set(schemas.keys()),
      schemaGuesser: new PathGuesser(schemas),
      schemaNodes: new SchemaNodes(schemas),
    };
    const broken = checkSchemas(schemas, compiled);
    if (broken.length > 0) compiled.distrust();
    const findings = [
      ...broken,
      ...(description ? checkDescriptionFile(description, context) : []),
      ...checkDescription(types, typeNodes),
    ];
    this.#model = { ...context, schemas, types, description, typeNodes, findings, files: new WeakMap() };
    return this.#model;
  }
}

const noFacts: DatafileFacts = { references: [], resources: [], unique: [], lists: [] };

function checkOnce({ files }: Model, file: object, check: () => CheckedFile): CheckedFile {
  let checked = files.get(file);
  if (!checked) {
    checked = check();
    files.set(file, checked);
  }
  return checked;
}

function checkOne(datafile: Datafile, model: Model): CheckedFile {
  const { schema, content, written = content } = datafile;
  return {
    findings: checkDatafile(datafile, model),
    facts: collectFacts(written, schema, model.schemaNodes, model.typeNodes),
  };
}
