(function (odograph) {
    'use strict';

    const { say, byID } = odograph.dom;

    function explain(words) {
        byID('nothing').hidden = false;
        say(byID('nothing'), words);
    }

    if (typeof L === 'undefined' || odograph.connectionScript === undefined) {
        explain('Leaflet or MQTT.js is missing; run deploy/dashboard/build.');
        return;
    }

    const { settings, faults } = odograph.settings.readSettings(odograph.configured, location.search);
    // What config.js names is written into the page when it is built; the browser refuses all else.
    const policy = document.querySelector('meta[http-equiv="Content-Security-Policy"]').content;
    if (policy !== odograph.settings.policy(settings)) {
        faults.push('the servers in config.js differ from those of the build; run deploy/dashboard/build again');
    }
    for (const fault of faults) console.warn(fault);
    say(byID('fleet-name'), settings.fleet === '+' ? 'All fleets' : settings.fleet);

    const desk = new odograph.Desk(settings);
    const words = new odograph.LinkWords({ onRetry: () => link.retry(), onSignIn: () => signIn.open() });
    const link = new odograph.Link(settings, odograph.settings.brokerAddress(settings, location), {
        onMessage(topic, payload, isRetained, sender) {
            desk.receive(topic, payload, isRetained, sender);
        },
        onState(state) {
            words.show(state, Date.now());
        },
        onSession(isResumed) {
            desk.listen(isResumed);
        },
        onRefused(isRejected) {
            signIn.ask(isRejected);
        },
    });
    const signIn = new odograph.SignIn((user, password) => link.signIn(user, password));
    const tick = () => {
        words.tick(Date.now());
        // The zone of the machine may change while the page is open.
        say(byID('zone'), `Times: ${odograph.format.zone(Date.now())}`);
    };
    tick();
    setInterval(tick, 500);
    window.addEventListener('hashchange', () => desk.open(odograph.fragment.read(location.hash)));
    desk.attach(link);
    desk.open(odograph.fragment.read(location.hash));
    odograph.desk = desk;
    link.retry();
})(globalThis.odograph ??= {});
