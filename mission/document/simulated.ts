/**
 * What the settings of a simulated gateway say of the radio channel between it and its spacecraft, each way.
 * `docs/gateways.md` explains it.
 */

import Type, { type Static } from 'typebox';
import { closed, DurationText } from './name.ts';

const Share = (description: string) =>
  Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: `Share of the frames ${description}` }));

const ChannelWay = Type.Object(
  {
    loss: Share('that do not arrive.'),
    duplication: Share('that arrive twice.'),
    reordering: Share('that are overtaken by those behind them.'),
    delay: Type.Optional(DurationText),
  },
  { ...closed, title: 'ChannelWay' },
);
export type ChannelWay = Static<typeof ChannelWay>;

export const ChannelDocument = Type.Object(
  { up: Type.Optional(ChannelWay), down: Type.Optional(ChannelWay) },
  { ...closed, title: 'Channel' },
);
export type ChannelDocument = Static<typeof ChannelDocument>;
