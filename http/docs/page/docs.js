/**
 * Starts Swagger UI on the document of the service that serves this page. Nothing is asked of other hosts: the validator
 * badge is off, and there is no top bar to load another document.
 */

const dark = matchMedia('(prefers-color-scheme: dark)');

function followScheme() {
  document.documentElement.classList.toggle('dark-mode', dark.matches);
}

/** A follow route answers no request, so instead of a button stands how to open it. */
function followRoutes({ React }) {
  return {
    wrapComponents: {
      execute: (Execute) => (props) => {
        if (props.operation.get('x-message') === undefined) return React.createElement(Execute, props);
        const address = `${location.origin.replace(/^http/, 'ws')}${props.path}`;
        return React.createElement(
          'p',
          { className: 'follow-route' },
          'Open it as a WebSocket: ',
          React.createElement('code', null, address),
        );
      },
    },
  };
}

followScheme();
dark.addEventListener('change', followScheme);

globalThis.SwaggerUIBundle({
  url: '/v1/openapi.json',
  dom_id: '#interface',
  presets: [globalThis.SwaggerUIBundle.presets.apis],
  plugins: [followRoutes],
  layout: 'BaseLayout',
  validatorUrl: null,
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  tryItOutEnabled: true,
});
