/** How reports call the tests, and where their links lead. */
export interface ReportSettings {
  /** The first part of the name of each status. */
  readonly name: string;
  /** The page of a run, such as `https://console.example/{{NAMESPACE}}/runs/{{PIPELINE_RUN_NAME}}`. */
  readonly runUrl?: string;
  /** The page of a task's log; also has `{{TASK_NAME}}`. */
  readonly taskLogUrl?: string;
  /** The page of a Snapshot, with `{{SNAPSHOT_NAME}}`. */
  readonly snapshotUrl?: string;
}

export interface LinkValues {
  readonly NAMESPACE: string;
  readonly PIPELINE_RUN_NAME?: string;
  readonly TASK_NAME?: string;
  readonly SNAPSHOT_NAME?: string;
}

/** From the environment variables of integration-service. */
export function readReportSettings(environment: Readonly<Record<string, string | undefined>>): ReportSettings {
  const { CONSOLE_NAME, CONSOLE_URL, CONSOLE_URL_TASKLOG, CONSOLE_URL_SNAPSHOT } = environment;
  return {
    name: CONSOLE_NAME || "Integration Service",
    ...(CONSOLE_URL ? { runUrl: CONSOLE_URL } : {}),
    ...(CONSOLE_URL_TASKLOG ? { taskLogUrl: CONSOLE_URL_TASKLOG } : {}),
    ...(CONSOLE_URL_SNAPSHOT ? { snapshotUrl: CONSOLE_URL_SNAPSHOT } : {}),
  };
}

/** Replaces the placeholders, and evaluates nothing. Undefined without a template, or if it asks for what there is not. */
export function fillLink(template: string | undefined, values: LinkValues): string | undefined {
  if (template === undefined) return undefined;
  let link = template;
  for (const [name, value] of Object.entries(values)) {
    link = link.replaceAll(`{{${name}}}`, () => encodeURIComponent(value));
  }
  return /\{\{(?:NAMESPACE|PIPELINE_RUN_NAME|TASK_NAME|SNAPSHOT_NAME)\}\}/.test(link) ? undefined : link;
}
