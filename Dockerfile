# The one executable and nothing else. `cargo xtask dist` first, then `docker build -t selfsame .`;
# docs/operations.md has the lines to run it with.
FROM scratch
COPY dist/selfsame /selfsame
# A volume takes owner and mode from here: the data folder must be its user's alone.
COPY --chown=65532:65532 --chmod=0700 dist/data /data
ENV HOME=/data SELFSAME_DATA=/data
VOLUME /data
WORKDIR /data
USER 65532:65532
EXPOSE 4177
ENTRYPOINT ["/selfsame"]
CMD ["serve"]
