import type { Environment } from "./environment.ts";

/** The schedule (UUID) and target that a sealed request belongs to. */
export type Destination = { id: string; method: string; targetUrl: string };

/**
 * Associated data of a sealed request. It decrypts only for the same schedule, method and target, so that write access to
 * the database is not enough to redirect a payload.
 */
export const requestAad = ({ id, method, targetUrl }: Destination) => `request:${id}:${method}:${targetUrl}`;

/** Associated data of requests sealed by earlier versions. Still decrypted, no longer written. */
export const formerRequestAad = (id: string) => `schedule:${id}`;

/** Associated data of a signing secret: its account (UUID) and environment. */
export const secretAad = (accountId: string, env: Environment) => `signing-secret:${accountId}:${env}`;

/** Associated data of a secret of the installation. */
export const instanceAad = (name: string) => `instance:${name}`;

/** Associated data of a value that a page keeps in a form or a cookie: its purpose, and the session (UUID) it is for. */
export const pageValueAad = (purpose: string, sessionId: string) => `page-value:${purpose}:${sessionId}`;
