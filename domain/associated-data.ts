import type { Environment } from "./environment.ts";

/** Whose a sealed request is, and where it goes: `id` is the UUID of its schedule. */
export type Destination = { id: string; method: string; targetUrl: string };

/**
 * What a schedule's sealed request is bound to, so that it opens for this schedule, method and target alone: whoever
 * can write to the database cannot have it sent elsewhere.
 */
export const requestAad = ({ id, method, targetUrl }: Destination) => `request:${id}:${method}:${targetUrl}`;

/** What requests were bound to before they were bound to their target. They still open, and none is sealed so any more. */
export const formerRequestAad = (id: string) => `schedule:${id}`;

/** What a signing secret is bound to: its account (UUID) and environment. */
export const secretAad = (accountId: string, env: Environment) => `signing-secret:${accountId}:${env}`;

/** What a secret of the installation is bound to. */
export const instanceAad = (name: string) => `instance:${name}`;
