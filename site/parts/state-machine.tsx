/** A diagram of the work order states, with the current state and the path to it. */
import { type WorkOrderStatus, workOrderStatuses } from '#db/schema/work-order-tables.ts';
import { moves } from '#domain/work-orders/state-machine.ts';
import { statusName } from './rows.tsx';

/** How the states are laid out: all but the last in a line, in order, and `rejected` beside it. */
interface Plan {
  readonly name: 'across' | 'down';
  readonly viewBox: string;
  readonly box: { readonly width: number; readonly height: number };
  readonly placeOf: (status: WorkOrderStatus) => Place;
  readonly pathOf: (from: Place, to: Place, kind: 'on' | 'back' | 'reject') => string;
}

interface Place {
  readonly x: number;
  readonly y: number;
}

const acrossBox = { width: 104, height: 34 };
const acrossStep = acrossBox.width + 24;

const across: Plan = {
  name: 'across',
  viewBox: `-2 -4 ${6 * acrossStep - 20} 152`,
  box: acrossBox,
  placeOf: (status) =>
    status === 'rejected'
      ? { x: 2 * acrossStep, y: 110 }
      : { x: workOrderStatuses.indexOf(status) * acrossStep, y: 20 },
  pathOf: (from, to, kind) => {
    const { width, height } = acrossBox;
    const middle = from.x + width / 2;
    const center = to.x + width / 2;
    if (kind === 'reject') {
      const target = center + (middle - center) / 6;
      return `M${middle} ${from.y + height}C${middle} ${to.y - 30} ${target} ${from.y + height + 10} ${target} ${to.y - 5}`;
    }
    if (kind === 'back') {
      return `M${middle} ${from.y}C${middle} ${from.y - 22} ${center} ${from.y - 22} ${center} ${from.y - 5}`;
    }
    return `M${from.x + width} ${from.y + height / 2}H${to.x - 5}`;
  },
};

const downBox = { width: 112, height: 32 };
const downStep = downBox.height + 20;

/** For phones. */
const down: Plan = {
  name: 'down',
  viewBox: `-2 -2 324 ${6 * downStep - 14}`,
  box: downBox,
  placeOf: (status) =>
    status === 'rejected'
      ? { x: 206, y: 2 * downStep }
      : { x: 26, y: workOrderStatuses.indexOf(status) * downStep },
  pathOf: (from, to, kind) => {
    const { width, height } = downBox;
    const middle = from.y + height / 2;
    const center = to.y + height / 2;
    if (kind === 'reject') {
      const target = center + (middle - center) / 10;
      return `M${from.x + width} ${middle}C${to.x - 30} ${middle} ${from.x + width + 24} ${target} ${to.x - 5} ${target}`;
    }
    if (kind === 'back') {
      return `M${from.x} ${middle}C${from.x - 24} ${middle} ${from.x - 24} ${center} ${from.x - 5} ${center}`;
    }
    return `M${from.x + width / 2} ${from.y + height}V${to.y - 5}`;
  },
};

interface StateMachineProps {
  readonly passed: ReadonlySet<WorkOrderStatus>;
  readonly now: WorkOrderStatus;
}

/** The style sheet shows the drawing that fits the screen. */
export function StateMachine(props: StateMachineProps) {
  return (
    <>
      <Drawing {...props} plan={across} />
      <Drawing {...props} plan={down} />
    </>
  );
}

function Drawing({ plan, passed, now }: StateMachineProps & { readonly plan: Plan }) {
  const { name, viewBox, box, placeOf, pathOf } = plan;
  const arrow = `arrow-${name}`;
  return (
    <svg
      class={`machine ${name}`}
      viewBox={viewBox}
      role="img"
      aria-label={`The work order is ${statusName(now)}.`}
    >
      <defs>
        <marker id={arrow} viewBox="0 0 8 8" refX="4" refY="4" markerWidth="7" markerHeight="7" orient="auto">
          <path class="head" d="M0 0 8 4 0 8z" />
        </marker>
      </defs>
      {moves.map(({ from, to }) => (
        <path
          key={`${from} ${to}`}
          d={pathOf(placeOf(from), placeOf(to), kindOf(from, to))}
          marker-end={`url(#${arrow})`}
        />
      ))}
      {workOrderStatuses.map((status) => {
        const { x, y } = placeOf(status);
        return (
          <g key={status} class={status === now ? 'now' : passed.has(status) ? 'passed' : undefined}>
            <rect x={x} y={y} width={box.width} height={box.height} rx="6" />
            <text x={x + box.width / 2} y={y + box.height / 2 + 4}>
              {statusName(status)}
            </text>
          </g>
        );
      })}
    </svg>
  );
}

function kindOf(from: WorkOrderStatus, to: WorkOrderStatus): 'on' | 'back' | 'reject' {
  if (to === 'rejected') return 'reject';
  return workOrderStatuses.indexOf(to) < workOrderStatuses.indexOf(from) ? 'back' : 'on';
}
