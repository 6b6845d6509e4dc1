import { decouplingDeployment } from "./decoupling-deployment.ts";
import { deploymentModel } from "./deployment-model.ts";
import { integrationOperator } from "./integration-operator.ts";
import { managerProposal } from "./manager-proposal.ts";
import { resourceManagement } from "./resource-management.ts";
import type { SeedDocument } from "./seed-document.ts";

/** The five documents that Tenon was written from. */
export const seedDocuments: readonly SeedDocument[] = [
  deploymentModel,
  managerProposal,
  resourceManagement,
  integrationOperator,
  decouplingDeployment,
];
