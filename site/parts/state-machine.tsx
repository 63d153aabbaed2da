/** A diagram of the work order states, with the current state and the path to it. */
import type { WorkOrderStatus } from '#db/schema/work-order-tables.ts';
import { moves, workOrderStatuses } from '#domain/work-orders/state-machine.ts';
import { statusName } from './rows.tsx';

const box = { width: 104, height: 34 };
const row = { main: 20, rejected: 110 };
const gap = 24;

/** All states but the last are on one line, in order; `rejected` is below. */
function placeOf(status: WorkOrderStatus): { readonly x: number; readonly y: number } {
  const index = workOrderStatuses.indexOf(status);
  if (status === 'rejected') return { x: 2 * (box.width + gap), y: row.rejected };
  return { x: index * (box.width + gap), y: row.main };
}

function pathOf(from: WorkOrderStatus, to: WorkOrderStatus): string {
  const start = placeOf(from);
  const end = placeOf(to);
  const middle = start.x + box.width / 2;
  if (to === 'rejected') {
    const target = end.x + box.width / 2 + (middle - end.x - box.width / 2) / 6;
    return `M${middle} ${start.y + box.height}C${middle} ${end.y - 30} ${target} ${start.y + box.height + 10} ${target} ${end.y - 5}`;
  }
  if (end.x < start.x) {
    const target = end.x + box.width / 2;
    return `M${middle} ${start.y}C${middle} ${start.y - 22} ${target} ${start.y - 22} ${target} ${start.y - 5}`;
  }
  const y = start.y + box.height / 2;
  return `M${start.x + box.width} ${y}H${end.x - 5}`;
}

export function StateMachine({
  passed,
  now,
}: {
  readonly passed: ReadonlySet<WorkOrderStatus>;
  readonly now: WorkOrderStatus;
}) {
  const width = 6 * (box.width + gap) - gap;
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Diagram of the states">
      <svg
        class="machine"
        viewBox={`-2 -4 ${width + 4} 152`}
        role="img"
        aria-label={`The work order is ${statusName(now)}.`}
      >
        <defs>
          <marker
            id="arrow"
            viewBox="0 0 8 8"
            refX="4"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto"
          >
            <path class="head" d="M0 0 8 4 0 8z" />
          </marker>
        </defs>
        {moves.map(({ from, to }) => (
          <path key={`${from} ${to}`} d={pathOf(from, to)} marker-end="url(#arrow)" />
        ))}
        {workOrderStatuses.map((status) => {
          const { x, y } = placeOf(status);
          return (
            <g key={status} class={status === now ? 'now' : passed.has(status) ? 'passed' : undefined}>
              <rect x={x} y={y} width={box.width} height={box.height} rx="6" />
              <text x={x + box.width / 2} y={y + 21}>
                {statusName(status)}
              </text>
            </g>
          );
        })}
      </svg>
    </div>
  );
}
