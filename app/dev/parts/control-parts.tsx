import { Ellipsis } from "lucide";
import { RefreshState } from "#components/layout/refresh-state.tsx";
import { Button, ButtonLink } from "#components/ui/button.tsx";
import { Card, CardBody, CardFoot, CardHead } from "#components/ui/card.tsx";
import { SelectField, TextArea, TextField } from "#components/ui/field.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import { Section } from "./section.tsx";

/** Buttons, fields and notices. */
export function ControlParts() {
  return (
    <>
      <Section title="Buttons">
        <Card>
          <CardHead title="Kinds and sizes">
            <TextLink standalone href="#all" className="text-sm">
              A link by itself
            </TextLink>
          </CardHead>
          <CardBody className="grid gap-4">
            <div className="flex flex-wrap items-center gap-2">
              <Button kind="primary">Schedule it</Button>
              <Button>Replay</Button>
              <Button kind="ghost">Reset</Button>
              <Button kind="danger">Cancel schedule</Button>
              <Button kind="danger-fill">Revoke key</Button>
              <Button busy>Saving</Button>
              <Button disabled>Reschedule</Button>
              <Button square aria-label="More">
                <Icon of={Ellipsis} />
              </Button>
            </div>
            <div className="flex flex-wrap items-center gap-2">
              <Button size="small">Small</Button>
              <Button size="small" kind="primary">
                Small
              </Button>
              <Button>Normal</Button>
              <Button size="large">Large</Button>
              <ButtonLink href="#link">A link</ButtonLink>
              <ButtonLink href="#link" kind="primary">
                A link
              </ButtonLink>
              <Button reason="It is firing. Try again in 2 s.">Cancel</Button>
            </div>
            <div className="flex flex-wrap items-center gap-4">
              <RefreshState at={0} words="Updated 4 s ago" />
              <RefreshState at={0} words="Refresh paused" isPaused />
              <RefreshState at={0} words="Paused while something is selected" isHeld />
            </div>
          </CardBody>
          <CardFoot>
            <span>
              The foot of a card, with <TextLink href="#in-text">a link within text</TextLink>.
            </span>
          </CardFoot>
        </Card>
      </Section>
      <Section title="Fields">
        <Card>
          <CardBody className="grid gap-4 grid-cols-[repeat(auto-fit,minmax(min(100%,17rem),1fr))]">
            <TextField
              label="URL"
              id="gallery-url"
              name="url"
              mono
              defaultValue="http://10.0.0.8/hook"
              error="Targets are public https:// addresses. This is http, and 10.0.0.8 is a private address."
            />
            <TextField
              label="When"
              id="gallery-when"
              name="when"
              defaultValue="yesterday 09:00"
              error="26 March, 09:00 has passed. Name a later instant."
            />
            <TextArea
              label="Payload"
              name="payload"
              rows={2}
              defaultValue='{"rows": […]}'
              error="61,204 bytes. Free takes 51,200, Indie 262,144."
            />
            <TextField
              label="Idempotency key"
              name="key"
              mono
              placeholder="order-1001"
              hint="Optional. 1 to 255 characters."
            />
            <TextField
              label="E-mail"
              name="email"
              defaultValue="ana@example.com"
              disabled
              hint="Signs in; it cannot change."
            />
            <SelectField label="Zone" name="zone" defaultValue="Europe/Berlin">
              <option>Europe/Berlin</option>
              <option>UTC</option>
            </SelectField>
          </CardBody>
        </Card>
      </Section>
      <Section title="Notices">
        <Notice kind="info">Free keeps 7 days of log.</Notice>
        <Notice kind="warn">80 % of March is used: 1,600 of 2,000.</Notice>
        <Notice kind="ok">Signature fits.</Notice>
        <Notice>30 days are shown on Indie.</Notice>
        <Notice
          kind="bad"
          action={
            <ButtonLink href="#admin" size="small">
              Admin
            </ButtonLink>
          }
        >
          <b>No dispatcher since 14:27:55 UTC, 4 m 12 s ago.</b> Nothing is sent. 38 schedules are past their instant;
          they leave when one is back, oldest first. <code>npm run dispatcher</code> starts one.
        </Notice>
      </Section>
    </>
  );
}
