/**
 * The parts of undici that are used. Its entry would make Node's own `fetch` send with it, whatever proxy
 * Node was told to use, and brings a `fetch`, caches and WebSockets of its own.
 */

import api from 'undici/lib/api/index.js';
import buildConnector from 'undici/lib/core/connect.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import EnvHttpProxyAgent from 'undici/lib/dispatcher/env-http-proxy-agent.js';

Object.assign(Dispatcher.prototype, api);

export { buildConnector, EnvHttpProxyAgent };
