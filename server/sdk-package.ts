import manifest from "#sdk/package.json" with { type: "json" };

/** The name by which code imports the SDK. It is on no registry. */
export const SDK_NAME = manifest.name;
