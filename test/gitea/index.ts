export {
  type ForgeProxy,
  type FoundProposals,
  type Shop,
  type ShopOptions,
  startForgeProxy,
  startShop,
} from "./start-shop.ts";
export { type GiteaAccess, type StartedGitea, startGitea } from "./start-gitea.ts";
export { type GiteaAnswer, type GiteaRepository, type GiteaUser, TestGitea } from "./test-gitea.ts";
export { useGitea } from "./use-gitea.ts";
