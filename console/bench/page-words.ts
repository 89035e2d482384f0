/**
 * Refusals of the service in the words of this page: commands as the buttons that do them, fields as their labels.
 * Pure.
 *
 * W1. A command that no button of the page does stays as it is: it is still the way out.
 */

const BUTTONS: readonly (readonly [command: RegExp, words: string])[] = [
  [/POST \/api\/v1\/profiles\/[^/\s]+\/apply/g, '“Apply” beside the profile'],
  [/POST \/api\/v1\/chain\/condition(?: \{[^}]*\})?/g, '“Condition to” in the chain'],
  [/POST \/api\/v1\/chain\/recover/g, '“Recover” in the chain'],
  [/POST \/api\/v1\/datapath\/enable/g, '“Fix this” in the chain'],
  [/POST \/api\/v1\/radio\/reset(?: \{[^}]*\})?/g, '“Fix this” in the chain'],
  [/POST \/api\/v1\/datapath\/measure/g, '“Measure”'],
  [/POST \/api\/v1\/datapath\/flush/g, '“Flush” in Transmit'],
  [/POST \/api\/v1\/radio\/gain(?: \{[^}]*\})?/g, '“Set” in Radio'],
  [/POST \/api\/v1\/radio\/frequency(?: \{[^}]*\})?/g, '“Tune” in Radio'],
  [/POST \/api\/v1\/scenarios\/active\/cancel/g, '“Cancel run” in Scenarios'],
  [/GET \/api\/v1\/chain\b/g, 'the chain'],
];

const FIELDS: readonly (readonly [field: RegExp, label: string])[] = [
  [/\/?\brx_gain_db\b/g, 'receive gain'],
  [/\/?\btx_gain_db\b/g, 'transmit gain'],
  [/\/?\bcenter_frequency_hz\b/g, 'centre'],
  [/\btune_lo true\b/g, '“move the oscillator”'],
  [/\/?\bframing\.slot_len\b/g, 'bytes of a slot'],
  [/\/?\bpackets(?:\[(\d+)\]|\/(\d+))/g, 'packet'],
];

/** The text as somebody in front of the page understands it. */
export function pageWords(text: string): string {
  const named = BUTTONS.reduce((words, [command, button]) => words.replace(command, button), text);
  return FIELDS.reduce(
    (words, [field, label]) =>
      words.replace(field, (_, ...found: (string | number)[]) => {
        const number = found.find((part) => typeof part === 'string' && /^\d+$/.test(part));
        return label === 'packet' ? `${label} ${Number(number) + 1}` : label;
      }),
    named,
  );
}
