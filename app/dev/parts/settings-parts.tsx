import { KeyTable, type ShownKey } from "#components/keys/key-table.tsx";
import { KeysEmpty } from "#components/keys/keys-empty.tsx";
import { RelayForm } from "#components/relay/relay-form.tsx";
import { TestDeliveriesCard } from "#components/relay/test-deliveries-card.tsx";
import { SecretPair } from "#components/signing/secret-pair.tsx";
import { Confirm } from "#components/ui/confirm.tsx";
import { FormOutcome } from "#components/ui/form-outcome.tsx";
import { Section } from "./section.tsx";

const NOW = new Date("2026-03-27T14:34:48Z");

const KEY: ShownKey = {
  id: "key_1",
  name: "checkout-worker",
  env: "live",
  prefix: "sw_live_",
  last4: "k2Qa",
  created_at: "2026-03-20T14:34:48Z",
  last_used_at: "2026-03-27T14:34:32Z",
  revoked_at: null,
  expires_at: null,
};

const KEYS: ShownKey[] = [
  KEY,
  { ...KEY, id: "key_2", name: "staging", env: "test", prefix: "sw_test_", last_used_at: null },
  { ...KEY, id: "key_4", name: "was rotated", expires_at: "2026-03-28T14:34:48Z" },
  { ...KEY, id: "key_3", name: "a name as long as somebody made it when nobody looked", revoked_at: KEY.created_at },
];

/** Confirm cards and form outcomes; keys, secrets and relay settings. */
export function SettingsParts() {
  return (
    <Section title="Settings: questions, outcomes, keys, secrets, sliders">
      <FormOutcome message="Revoked. API requests with this key get 401 from now on." />
      <FormOutcome error="CONFLICT" words={new Map([["CONFLICT", "This key is revoked already."]])} />
      <FormOutcome error="unavailable" />
      <Confirm
        title="Rotate nightly-settle?"
        action="#rotate"
        fields={{ id: "key_1" }}
        label="Rotate now"
        keep={{ href: "#keys", label: "Keep it" }}
      >
        <p>The key that ends in k2Qa stops working at once.</p>
      </Confirm>
      <Confirm
        title="Reactivate x@example.com?"
        action="#reactivate"
        fields={{}}
        label="Reactivate"
        isDanger={false}
        keep={{ href: "#accounts", label: "Leave it deactivated" }}
        reason="It is active already."
      >
        <p>API keys that are accepted again: 3.</p>
      </Confirm>
      <KeyTable
        keys={KEYS}
        from={1}
        total={3}
        previous={undefined}
        next={undefined}
        now={NOW}
        zone="Europe/Zurich"
        hrefOf={(id, act) => `#${id}-${act}`}
      />
      <KeysEmpty newHref="#new-key" />
      <SecretPair
        current="whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
        next="whsec_YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXphYmNkZWY="
        rotatedAt={new Date("2026-03-27T02:34:48Z")}
        now={NOW}
        zone="UTC"
      />
      <RelayForm
        action="#save"
        env="live"
        typed={{ cps: "many", retries: "2", wait: "", strategy: "linear", early: "" }}
        limits={{
          cpsLimit: { min: 1, max: 20 },
          retryAttempts: { min: 0, max: 4 },
          retryBackoffMs: { min: 1_000, max: 3_600_000 },
          retryStrategy: ["exponential", "linear", "fixed"],
        }}
        defaults={{
          cpsLimit: 20,
          retryAttempts: 4,
          retryBackoffMs: 30_000,
          retryStrategy: "exponential",
          earlyFire: false,
        }}
        problems={{ cps: "Outgoing requests per second is a whole number, or empty." }}
      >
        <TestDeliveriesCard until={NOW} zone="Europe/Zurich" env="test" action="#switch" />
      </RelayForm>
    </Section>
  );
}
