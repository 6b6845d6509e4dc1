/** As what the manager owns objects: the name and version of qontract-reconcile's, whose objects are taken over as they are. */
export const managerIdentity = { integration: "integrations-manager", integrationVersion: "0.1.0" } as const;
