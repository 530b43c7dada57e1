import { afterAll, beforeAll, beforeEach } from "vitest";
import { startStripe, type TestStripe } from "../../helpers/stripe.ts";
import { type Api, startApi, type TestCaller, type TestSession } from "./api.ts";

type Made = { stripe: TestStripe; api: Api; caller: TestCaller; session: TestSession };

/**
 * Starts a local Stripe and the API, once for the tests of a file, and stops both when they are over. Before each test
 * Stripe is as new, and there is a new account with a session. `take` is called with all of it, before all tests and before
 * each. `isConfigured` says whether the API in this process knows of that Stripe; `settings` are further settings of the API.
 */
export function withStripe(
  { isConfigured = true, settings = {} }: { isConfigured?: boolean; settings?: Record<string, string> },
  take: (made: Made) => void,
): void {
  let stripe: TestStripe;
  let api: Api;
  const begin = async () => {
    const caller = await api.account();
    take({ stripe, api, caller, session: await api.session(caller.accountId) });
  };
  beforeAll(async () => {
    stripe = await startStripe();
    api = await startApi({ ...settings, ...(isConfigured ? stripe.settings : {}) });
    await begin();
  });
  afterAll(async () => {
    await api.stop();
    await stripe.close();
  });
  beforeEach(async () => {
    stripe.reset();
    await begin();
  });
}
