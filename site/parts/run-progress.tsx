/** The progress of a run, and what its owner can do until it has ended. */
import type { RunRow } from '#db/schema/run-tables.ts';
import { pullRunMsOf } from '#domain/runs/run-limits.ts';
import { useView } from '../view.ts';
import { ShareBar } from './charts.tsx';
import { Commands } from './commands.tsx';
import { ConfirmedForm, Form } from './form.tsx';
import { RunState } from './runs.tsx';

export function RunProgress({ job }: { readonly job: RunRow }) {
  const { status, mode } = job;
  const isOpen = status === 'queued' || status === 'running';
  return (
    <>
      <section id="progress" data-live={isOpen ? '' : undefined}>
        <p>
          <RunState job={job} />
        </p>
        {status === 'failed' ? <Failure job={job} /> : <Done job={job} />}
      </section>
      {isOpen ? (
        // Apart from the progress, which would fold the warning at each step.
        <div id="cancel" data-live="">
          <CancelRun status={status} />
        </div>
      ) : null}
      {isOpen && mode === 'pull' ? <HowToPull run={job} /> : null}
    </>
  );
}

/** Before it begins, every run can be cancelled without loss. */
function CancelRun({ status }: { readonly status: RunRow['status'] }) {
  if (status === 'queued') return <Form name="cancel-run" submit="Cancel the run" inline tone="danger" />;
  return (
    <ConfirmedForm
      name="cancel-run"
      title="Cancel the run"
      submit="End it now"
      warning="If the run has had a reply, or is ranked, it stays charged, and cases without an answer score 0."
    />
  );
}

function Failure({ job: { failureCode, failureMessage, chargeState } }: { readonly job: RunRow }) {
  return (
    <div class="notice bad">
      <p>{failureMessage ?? failureCode}</p>
      {chargeState === 'refunded' && <p class="small">The token is refunded if one was charged.</p>}
    </div>
  );
}

function Done({ job: { progressDone, progressTotal, trials } }: { readonly job: RunRow }) {
  const text = `${progressDone} of ${progressTotal} ${trials === 1 ? 'cases' : 'replies'} done`;
  return (
    <>
      <ShareBar percent={progressTotal === 0 ? 0 : (progressDone / progressTotal) * 100} label={text} />
      <p class="soft small spaced-small">{text}</p>
    </>
  );
}

function HowToPull({ run }: { readonly run: RunRow }) {
  const { baseUrl } = useView();
  const path = `${baseUrl}/v1/runs/${run.id}`;
  return (
    <section>
      <h2>What your agent does now</h2>
      <Commands title="It fetches cases">
        curl -H "Authorization: Bearer $HUB_TOKEN" "{path}/cases/next?limit=8&wait=25"
      </Commands>
      <Commands title="and submits each answer, until nothing remains">
        {`curl -H "Authorization: Bearer $HUB_TOKEN" -H "Content-Type: application/json" ${path}/answers -d '{"answers": [{"case_id": "…", "text": "…"}]}'`}
      </Commands>
      <p class="soft small">
        If no case is fetched within 24 hours, the run ends and is refunded. After the first fetch, it has{' '}
        {Math.round(pullRunMsOf(run) / 60_000)} minutes. A case that was fetched and not answered is returned
        again by the next fetch.
      </p>
    </section>
  );
}
