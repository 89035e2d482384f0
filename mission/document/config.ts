/**
 * The config document: settings of the whole service. Mission Control Service, sections 5 (authentication), 4.5
 * (feeders), 8 (limits that are configurable).
 */

import Type, { type Static } from 'typebox';
import { EDITOR_BODY_BYTES_MOST } from '../../contract/limits/editor.ts';
import { closed, DurationText, Name } from './name.ts';

export const ConfigDocument = Type.Object(
  {
    config: Type.Optional(Name),
    auth: Type.Optional(
      Type.Object(
        {
          issuer: Type.Optional(Type.String()),
          audience: Type.Optional(Type.String()),
          jwks_url: Type.Optional(Type.String()),
          jwks_file: Type.Optional(Type.String()),
          roles_claim: Type.Optional(Type.String()),
          roles_prefix: Type.Optional(Type.String()),
          required: Type.Optional(Type.Boolean()),
          client_id: Type.Optional(Type.String()),
          cli_client_id: Type.Optional(Type.String()),
          organization: Type.Optional(Type.String()),
          scopes: Type.Optional(Type.Array(Type.String())),
          nats_ttl: Type.Optional(DurationText),
        },
        { ...closed, title: 'Auth' },
      ),
    ),
    passes: Type.Optional(
      Type.Object(
        { feeders: Type.Optional(Type.Record(Type.String(), Type.Enum(['fds', 'provider']))) },
        closed,
      ),
    ),
    alarms: Type.Optional(
      Type.Object(
        {
          max_shelve: Type.Optional(DurationText),
          retention: Type.Optional(DurationText),
          answer_within: Type.Optional(DurationText),
        },
        closed,
      ),
    ),
    scheduler: Type.Optional(Type.Object({ margin: Type.Optional(DurationText) }, closed)),
    reconciler: Type.Optional(Type.Object({ leader_ttl: Type.Optional(DurationText) }, closed)),
    transfers: Type.Optional(Type.Object({ retention: Type.Optional(DurationText) }, closed)),
    archive: Type.Optional(
      Type.Object(
        {
          folder: Type.Optional(Type.String({ minLength: 1 })),
          retention: Type.Optional(
            Type.Object(
              {
                samples: Type.Optional(DurationText),
                minutes: Type.Optional(DurationText),
                events: Type.Optional(DurationText),
              },
              closed,
            ),
          ),
        },
        closed,
      ),
    ),
    telecommands: Type.Optional(Type.Object({ max_age: Type.Optional(DurationText) }, closed)),
    connectors: Type.Optional(Type.Record(Name, Type.Record(Type.String(), Type.Unknown()), closed)),
    editor: Type.Optional(
      Type.Object(
        {
          url: Type.String(),
          max_bytes: Type.Optional(Type.Integer({ minimum: 1, maximum: EDITOR_BODY_BYTES_MOST })),
        },
        closed,
      ),
    ),
    nats: Type.Optional(
      Type.Object(
        {
          replicas: Type.Optional(Type.Enum([1, 3, 5])),
          warn_at: Type.Optional(Type.Number({ minimum: 0.1, maximum: 0.99 })),
          streams: Type.Optional(
            Type.Record(
              Type.String(),
              Type.Object(
                {
                  retention: Type.Optional(DurationText),
                  rate: Type.Optional(Type.Union([Type.String(), Type.Number()])),
                  size: Type.Optional(Type.Union([Type.String(), Type.Number()])),
                },
                closed,
              ),
            ),
          ),
        },
        closed,
      ),
    ),
  },
  { ...closed, title: 'Config' },
);
export type ConfigDocument = Static<typeof ConfigDocument>;
