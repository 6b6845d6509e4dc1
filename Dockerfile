# For those who have Docker: the image that `npm run image` makes without it, from the same files.
FROM node:24-bookworm AS build
RUN apt-get update && apt-get install --yes --no-install-recommends git openssh-client ca-certificates
WORKDIR /tenon
COPY . .
RUN npm install --prefer-offline --no-audit --no-fund
RUN npm run --silent image -- --out /tmp/image.tar \
  && mkdir /image /layers && tar --extract --file /tmp/image.tar --directory /layers \
  && for layer in $(node --print 'require("/layers/manifest.json")[0].Layers.join(" ")'); do \
       tar --extract --gzip --file "/layers/$layer" --directory /image; \
     done

FROM scratch
COPY --from=build /image /
ENV PATH=/usr/local/bin:/usr/bin HOME=/home/tenon TENON_CALLED_AS=tenon
WORKDIR /home/tenon
USER 65532:65532
EXPOSE 9090
ENTRYPOINT ["/usr/local/bin/node", "--max-semi-space-size=4", "/app/dist/tenon.js"]
