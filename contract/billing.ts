import { z } from "zod";
import { endpoint } from "./endpoint.ts";

const AddressAnswer = z
  .strictObject({ url: z.url().describe("Where to send the browser; it is valid for a short time.") })
  .meta({ id: "BillingAddress", description: "A page of the billing provider." });

const ReceivedAnswer = z
  .strictObject({ received: z.literal(true).describe("The event need not be sent again.") })
  .meta({ id: "EventReceived", description: "The event was processed, or does not concern an account." });

const tag = "Billing";

export const startCheckout = endpoint({
  operationId: "startCheckout",
  method: "POST",
  path: "/v1/billing/checkout",
  tag,
  summary: "Get the address where the account subscribes to Indie.",
  description:
    "The plan changes when the billing provider has confirmed the payment, usually within a minute. CONFLICT when the account has a subscription, or the plan, already; UNAVAILABLE where billing is not configured.",
  auth: "session",
  responses: {
    200: {
      description: "The address of the checkout.",
      schema: AddressAnswer,
      example: { url: "https://checkout.stripe.com/c/pay/cs_live_a1b2c3" },
    },
  },
  errors: ["CONFLICT"],
});

export const openPortal = endpoint({
  operationId: "openPortal",
  method: "POST",
  path: "/v1/billing/portal",
  tag,
  summary: "Get the address where the subscription is managed.",
  description:
    "Card, invoices, cancelling. CONFLICT when the account never had a subscription; UNAVAILABLE where billing is not configured.",
  auth: "session",
  responses: {
    200: {
      description: "The address of the billing portal.",
      schema: AddressAnswer,
      example: { url: "https://billing.stripe.com/p/session/live_a1b2c3" },
    },
  },
  errors: ["CONFLICT"],
});

export const receiveEvent = endpoint({
  operationId: "receiveBillingEvent",
  method: "POST",
  path: "/v1/billing/events",
  tag,
  summary: "Receive an event of the billing provider.",
  description:
    "For the billing provider only; the body is an event as the provider documents it. VALIDATION unless the body is signed by the provider. Events may arrive repeatedly and in any order. UNAVAILABLE makes the provider send the event again.",
  auth: "none",
  requestHeaders: { "Stripe-Signature": "The provider's signature of the body." },
  responses: {
    200: { description: "The event was received.", schema: ReceivedAnswer, example: { received: true } },
  },
  errors: ["PAYLOAD_TOO_LARGE", "RATE_LIMITED", "UNAVAILABLE"],
});
