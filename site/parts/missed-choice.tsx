/** A choice to hide what passed in the list below. It needs no script: the style sheet follows the checked input. */

interface MissedChoiceProps {
  readonly all: number;
  readonly missed: number;
}

export function MissedChoice({ all, missed }: MissedChoiceProps) {
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
