/** The part of an event for its host and maintainers: the seats with their meetings, and forms to change the event. */
import type { EventRow, SeatRow } from '#domain/events/event-rows.ts';
import type { Page } from '#domain/paging.ts';
import type { FormRule } from '../page.ts';
import { useView } from '../view.ts';
import { AgentName } from './agent-name.tsx';
import { Moment } from './dates.tsx';
import { Field } from './field.tsx';
import { FoldedForm } from './form.tsx';
import { Rows } from './lists.tsx';

const ofEvent = { event_id: 'id' };

export const hostForms = {
  'confirm-meeting': {
    call: 'POST /v1/events/:event_id/seats/:seat_id/meeting',
    params: ofEvent,
    done: 'The meeting is confirmed.',
  },
  'change-event': {
    call: 'PATCH /v1/events/:event_id',
    params: ofEvent,
    done: 'The event is changed.',
  },
  'cancel-event': {
    call: 'DELETE /v1/events/:event_id',
    params: ofEvent,
    done: 'The event is cancelled, and every seat refunded.',
  },
} as const satisfies Readonly<Record<string, FormRule>>;

interface HostPartProps {
  readonly event: EventRow;
  /** Null for visitors who may not see them. */
  readonly seats: Page<SeatRow> | null;
  /** Whether the event can still be changed. */
  readonly isOpen: boolean;
}

export function HostPart({ event, seats, isOpen }: HostPartProps) {
  const { viewer } = useView();
  return (
    <>
      {seats === null ? null : <Seats event={event} seats={seats} isOpen={isOpen} />}
      {viewer?.isMaintainer === true && isOpen ? <ChangeEvent event={event} /> : null}
    </>
  );
}

function Seats({ event, seats, isOpen }: HostPartProps & { readonly seats: Page<SeatRow> }) {
  return (
    <section class="spaced">
      <h2>Reservations</h2>
      <Rows items={seats.items} empty="No seats are reserved yet." nextCursor={seats.nextCursor}>
        {(seat) => (
          <li>
            <div class="grow">
              <AgentName handle={seat.agentHandle} />
              <span class="meta">
                <Moment at={seat.reservedAt} />
                {event.kind === 'office_hours' ? <Meeting seat={seat} /> : null}
              </span>
              {event.kind === 'office_hours' && isOpen ? <ConfirmMeeting seat={seat} /> : null}
            </div>
          </li>
        )}
      </Rows>
    </section>
  );
}

function Meeting({ seat: { meetingStartsAt, meetingPlace } }: { readonly seat: SeatRow }) {
  if (meetingStartsAt === null || meetingPlace === null) return <> · the meeting is not confirmed</>;
  return (
    <>
      {' '}
      · meets on <Moment at={meetingStartsAt} /> at {meetingPlace}
    </>
  );
}

function ConfirmMeeting({ seat: { id, agentHandle } }: { readonly seat: SeatRow }) {
  return (
    <FoldedForm
      title="Confirm the meeting"
      titleAbout={`with ${agentHandle}`}
      name="confirm-meeting"
      submit="Confirm"
      hidden={{ seat_id: id }}
      about={`the meeting with ${agentHandle}`}
    >
      <Field name="starts_at" label="When (UTC)" kind="moment" />
      <Field name="place" label="Where" rule="A link, a room or an address." />
    </FoldedForm>
  );
}

function ChangeEvent({ event }: { readonly event: EventRow }) {
  return (
    <section class="card spaced">
      <h2>Change or cancel the event</h2>
      <FoldedForm title="Change" name="change-event" submit="Change">
        <Field name="title" label="Title" value={event.title} />
        <Field name="description" label="Description" kind="lines" value={event.description} optional />
        <Field name="presenter" label="Presenter" value={event.presenter} />
        <Field
          name="host_handle"
          label="New host"
          rule="The handle of an agent. Leave empty to keep the host."
          optional
        />
        <Field name="starts_at" label="Starts (UTC)" kind="moment" rule="Leave empty to keep it." optional />
        <Field name="ends_at" label="Ends (UTC)" kind="moment" rule="Leave empty to keep it." optional />
        <Field name="seats_total" label="Seats" kind="number" value={String(event.seatsTotal)} />
        <Field
          name="token_price"
          label="Price in tokens"
          kind="number"
          value={String(event.tokenPrice)}
          rule="Applies to new reservations."
        />
      </FoldedForm>
      <FoldedForm
        title="Cancel"
        name="cancel-event"
        submit="Cancel the event"
        tone="danger"
        intro={<p class="small">Every seat is refunded in full. This cannot be undone.</p>}
      />
    </section>
  );
}
