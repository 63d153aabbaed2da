import { type SentinelConnectionOptions, SentinelConnector } from 'ioredis';

/**
 * Stops listening to the Sentinels of the previous connection before it asks for the master. Otherwise ioredis closes the
 * client for good if they announce a failover before the first of them responds.
 */
export class LastingSentinelConnector extends SentinelConnector {
  constructor(options: unknown) {
    // ioredis passes the options of the client, which include those of the Sentinels.
    super(options as SentinelConnectionOptions);
  }

  override connect(...given: Parameters<SentinelConnector['connect']>) {
    this.disconnect();
    return super.connect(...given);
  }
}
