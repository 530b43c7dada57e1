import manifest from "#sdk/package.json" with { type: "json" };

/** The name by which code imports the SDK. It is on no registry. */
export const SDK_NAME = manifest.name;

/** The command that adds the SDK of the installation at `baseUrl` to a project, as a file of that project. */
export function sdkInstallCommand(baseUrl: string): string {
  return `curl -LO ${baseUrl}/sdk.tgz && npm i ./sdk.tgz`;
}

/** The values that code on pages needs for the installation at `baseUrl`. */
export function installationOf(baseUrl: string): { baseUrl: string; sdkName: string; sdkInstall: string } {
  return { baseUrl, sdkName: SDK_NAME, sdkInstall: sdkInstallCommand(baseUrl) };
}
