/** A scorecard: the same parts on the run's page, on a shared page and in a document of its own. */
import type { ComponentChildren } from 'preact';
import { missedItems, type ScorecardModel } from '#evals/scorecard/model.ts';
import { ItemList } from './items.tsx';
import { Facts, Figures, Fixes, GroupSection, ReferenceSection, ScoreFigure } from './sections.tsx';

interface ScorecardProps {
  readonly model: ScorecardModel;
  /** Whether prompts, replies, results and calls are shown. */
  readonly withTexts: boolean;
  /** Whether it hides what only the owner of the run sees. */
  readonly isPublic: boolean;
  /** The address of a text about scores; null in a document of its own, which has no links and no filters by query. */
  readonly guide: string | null;
  /** Shown before the items. */
  readonly children?: ComponentChildren;
}

export function Scorecard({ model, withTexts, isPublic, guide, children }: ScorecardProps) {
  const { reading } = model;
  return (
    <>
      <section>
        <ScoreFigure model={model} />
        <Figures figures={model.figures} />
      </section>
      <Fixes model={model} />
      <GroupSection model={model} />
      <ReferenceSection model={model} guide={guide} />
      <section>
        <h2>Run</h2>
        <Facts model={model} isPublic={isPublic} />
      </section>
      {children}
      <Items model={model} withTexts={withTexts} />
      <section>
        <h2>How to read this</h2>
        <p class="soft small">{reading}</p>
      </section>
    </>
  );
}

interface ItemsProps {
  readonly model: ScorecardModel;
  readonly withTexts: boolean;
}

function Items({ model: { items, unit }, withTexts }: ItemsProps) {
  return (
    <section>
      <h2 id="cases">Tasks</h2>
      <MissedChoice all={items.length} missed={missedItems(items).length} />
      {items.length === 0 ? <p class="soft">The {unit}s of this run are no longer stored.</p> : null}
      <ItemList items={items} withTexts={withTexts} />
    </section>
  );
}

interface MissedChoiceProps {
  readonly all: number;
  readonly missed: number;
}

/** A choice to hide what passed in the list below. It needs no script: the style sheet follows the checked input. */
function MissedChoice({ all, missed }: MissedChoiceProps) {
  if (missed === 0 || missed === all) return null;
  return (
    <fieldset class="shown small">
      <legend class="hidden">Show</legend>
      <label>
        <input type="radio" name="show" checked /> all {all}
      </label>
      <label>
        <input type="radio" name="show" id="show-missed" /> {missed} not passed
      </label>
    </fieldset>
  );
}
